import { closest, distance } from 'fastest-levenshtein';

const LENGTH_MAX = 100;

/** The known name closest to a mistyped one, if at most a third of the letters differ. */
export function suggest(given: string, known: readonly string[]): string | undefined {
  const name = given.slice(0, LENGTH_MAX).toLowerCase();
  const distanceMax = Math.floor(name.length / 3);
  // The distance is at least the difference in length.
  const similar = known.filter((candidate) => Math.abs(candidate.length - name.length) <= distanceMax);
  if (similar.length === 0) return undefined;
  const nearest = closest(
    name,
    similar.map((candidate) => candidate.toLowerCase()),
  );
  if (distance(name, nearest) > distanceMax) return undefined;
  return known.find((candidate) => candidate.toLowerCase() === nearest);
}
