import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Declaration, findDeclaration } from './declarations.ts';
import type { Patch, PlantedFault } from './part.ts';

const LOADER = import.meta.resolve('./load-planted.ts');

/** The environment in which the service, its commands and its workers have the fault. */
export function plantedEnvironment(fault: PlantedFault | undefined): Record<string, string> {
  if (fault?.patches === undefined) return {};
  return { NODE_OPTIONS: `--import=${LOADER}`, PLANTED_SOURCES: JSON.stringify(changedSources(fault.patches)) };
}

/** The sources that patches change, by their URLs. */
export function changedSources(patches: readonly Patch[]): Record<string, string> {
  const sources = new Map<string, string>();
  // The last one in a file first, so that the places of the others stay.
  for (const { file, start, length, to } of patches.map(locate).toSorted((one, other) => other.start - one.start)) {
    const source = sources.get(file) ?? readFileSync(file, 'utf8');
    sources.set(file, source.slice(0, start) + to + source.slice(start + length));
  }
  return Object.fromEntries([...sources].map(([file, source]) => [pathToFileURL(file).href, source]));
}

function locate([symbol, from, to]: Patch): Pick<Declaration, 'file' | 'start'> & { length: number; to: string } {
  const { file, start, text } = findDeclaration(symbol);
  const [before = '', ...others] = text.split(from);
  if (others.length !== 1)
    throw new Error(
      `${symbol} contains ${JSON.stringify(from)} ${others.length} times: patch a piece that it contains once.`,
    );
  return { file, start: start + before.length, length: from.length, to };
}
