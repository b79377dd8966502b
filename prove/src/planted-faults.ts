import { readFileSync } from 'node:fs';
import type { Patch, PlantedFault } from './part.ts';

/** The checks that `LOST_WRITE` in `planted-faults.txt` means. Chance decides which finds a lost write first. */
const LOST_WRITE = [
  'acknowledged data is gone',
  '; acknowledged was ',
  'were acknowledged and are missing',
  'were acknowledged but differ',
  ', expected ',
  'an import of ',
  'a file of ',
  'feeds have other listings',
  'was executed again',
  'has the sequence',
];

/**
 * Reads the `planted-faults.txt` file of a part. Each fault is a line that says what is wrong, followed by
 * indented lines: `found by:` with words from the checks, separated by `|`; `needs:`, if the small form would
 * not find the fault otherwise; and patches, written as `DECLARATION, …: FROM → TO`.
 */
export function readFaults(part: string): PlantedFault[] {
  const text = readFileSync(new URL(`parts/${part}/planted-faults.txt`, import.meta.url), 'utf8').trim();
  return text.split(/\n(?! )/).map(readFault);
}

function readFault(text: string): PlantedFault {
  const [what = '', checks = '', ...lines] = text.split(/\n +/);
  const words = checks.replace('found by: ', '');
  const foundBy = words === 'LOST_WRITE' ? LOST_WRITE : words.split(' | ');
  const needs = lines[0]?.startsWith('needs: ') ? lines.shift()?.replace('needs: ', '') : undefined;
  return { what, foundBy, ...(needs !== undefined && { needs }), patches: lines.flatMap(readPatches) };
}

function readPatches(line: string): Patch[] {
  const [, symbols = '', from = '', to = ''] = /^((?:\S+, )*\S+): (.*?) →(?: (.*))?$/.exec(line) ?? [];
  if (from === '') throw new Error(`A patch is \`DECLARATION: FROM → TO\`, and this is not: ${line}`);
  return symbols.split(', ').map((symbol) => [symbol, from, to]);
}
