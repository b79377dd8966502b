import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Fault, Patch } from './part.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const VARIABLE = 'PLANTED_PATCHES';

/** The environment in which the service, its commands and its workers have the fault. */
export function plantedEnvironment(fault: Fault | undefined): Record<string, string> {
  if (fault?.patches === undefined) return {};
  return { NODE_OPTIONS: `--import=${import.meta.url}`, [VARIABLE]: JSON.stringify(fault.patches) };
}

/** @throws when what is to be changed does not stand there exactly once: then the fault would not be what it says */
export function applyPatch(source: string, { file, from, to }: Patch): string {
  const [before, after, ...more] = source.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`"${from}" does not stand exactly once in ${file}`);
  return before + to + after;
}

// Node.js loads this file first in what has the fault.
const { [VARIABLE]: planted } = process.env;
if (planted !== undefined) plant(JSON.parse(planted));

function plant(patches: readonly Patch[]): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const changes = patches.filter(({ file }) => pathToFileURL(join(REPOSITORY, file)).href === url);
      return changes.length === 0 ? loaded : { ...loaded, source: changes.reduce(applyPatch, String(loaded.source)) };
    },
  });
}
