import { formatExact, formatRelative } from '../lib/format';

/** A relative time; the tooltip has the exact one. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}
