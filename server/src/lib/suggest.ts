import { closest, distance } from 'fastest-levenshtein';

const LENGTH_MAX = 100;

/** The known name that a mistyped one was probably meant to be: at most a third of its letters differ, of two none. */
export function suggest(given: string, known: readonly string[]): string | undefined {
  const name = given.slice(0, LENGTH_MAX).toLowerCase();
  const nearest =
    known.length === 0
      ? undefined
      : closest(
          name,
          known.map((candidate) => candidate.toLowerCase()),
        );
  if (nearest === undefined || distance(name, nearest) > Math.floor(name.length / 3)) return undefined;
  return known.find((candidate) => candidate.toLowerCase() === nearest);
}
