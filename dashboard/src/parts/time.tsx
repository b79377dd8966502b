import { formatExact, formatRelative } from '../lib/format';

/** A relative time. The tooltip shows the exact time. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}

/** When a key was last used. `isSentence` is whether these words begin a sentence. */
export function LastUsed({ at, isSentence = false }: { at: string | null; isSentence?: boolean }) {
  if (at === null) return isSentence ? 'Never used' : 'never used';
  return (
    <>
      {isSentence ? 'Last' : 'last'} used <Time at={at} />
    </>
  );
}
