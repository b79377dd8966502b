import { formatExact, formatRelative } from '../lib/format';

/** A time as people say it; the exact one is shown when pointed at. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}
