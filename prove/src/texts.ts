import { readFileSync } from 'node:fs';

/** Reads strings by their kind. Each line of the file is a JSON array: a kind, then strings of that kind. */
export function readTexts(file: URL): ReadonlyMap<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const [kind, ...some]: [string, ...string[]] = JSON.parse(line);
    texts.getOrInsert(kind, []).push(...some);
  }
  return texts;
}
