import { formatExact, formatRelative } from '../lib/format';

/** A relative time. The tooltip shows the exact time. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}
