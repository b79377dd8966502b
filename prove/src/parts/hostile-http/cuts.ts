import type { Attempt } from './attempts.ts';
import { textOf } from './attempts.ts';
import type { Stream, Target } from './streams.ts';
import type { Way } from './wire.ts';

/** Longer streams are cut at their start, their end, and at random places. */
const LENGTH_MAX = 1_000;
const EDGE_LENGTH = 250;

export function wholeAttempts(streams: readonly Stream[], targets: readonly Target[]): Attempt[] {
  const seen = new Set<string>();
  return targets.flatMap((target) =>
    streams.flatMap((stream): Attempt[] => {
      const text = textOf(stream, target);
      if (seen.has(text)) return [];
      seen.add(text);
      return [{ stream, target, cut: text.length, way: 'goes on' }];
    }),
  );
}

/** Cut at every byte, in each way in turn. A beginning that streams share is sent once. */
export function cutAttempts(wholes: readonly Attempt[], ways: readonly Way[], random: () => number): Attempt[] {
  const seen = new Set<string>();
  return wholes.flatMap(({ stream, target }) => {
    const text = stream.pieces.map((piece) => piece.bytes(target)).join('');
    return placesIn(text.length, random).flatMap((cut): Attempt[] => {
      const beginning = text.slice(0, cut);
      if (seen.has(beginning)) return [];
      seen.add(beginning);
      const way = ways[cut % ways.length];
      return way === undefined ? [] : [{ stream, target, cut, way }];
    });
  });
}

function placesIn(length: number, random: () => number): number[] {
  if (length <= LENGTH_MAX) return Array.from({ length: length - 1 }, (_, index) => index + 1);
  const edges = Array.from({ length: EDGE_LENGTH }, (_, index) => [index + 1, length - index - 1]).flat();
  const pick = () => EDGE_LENGTH + Math.floor(random() * (length - 2 * EDGE_LENGTH));
  const between = Array.from({ length: EDGE_LENGTH }, pick);
  return [...edges, ...between];
}
