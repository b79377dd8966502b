import type { ReactNode } from 'react';

/** Names and values in a card. Empty values are omitted. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  const shown = Object.entries(facts).filter(([, value]) => Boolean(value));
  return (
    <dl className="card facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
