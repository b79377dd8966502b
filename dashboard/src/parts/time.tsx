import { formatExact, formatRelative } from '../lib/format';

/** A relative time. The tooltip shows the exact time. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}

/** When a key or passkey was last used. With `isSentence`, the words begin with a capital letter. */
export function LastUsed({ at, isSentence = false }: { at: string | null; isSentence?: boolean }) {
  if (at === null) return isSentence ? 'Never used' : 'never used';
  return (
    <>
      {isSentence ? 'Last' : 'last'} used <Time at={at} />
    </>
  );
}
