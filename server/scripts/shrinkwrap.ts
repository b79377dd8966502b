// Writes a workspace's npm-shrinkwrap.json, so that npm installs the dependencies in the repository's lock file:
//   node server/scripts/shrinkwrap.ts cli
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  [member: string]: unknown;
}

/** Whether npm can leave a package out. */
interface Flags {
  optional?: true;
}

const REPOSITORY = join(import.meta.dirname, '../..');
const [workspace = ''] = process.argv.slice(2);
const lock = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'));
const locked: Record<string, LockedPackage> = lock.packages;
const { name, version } = JSON.parse(readFileSync(join(REPOSITORY, workspace, 'package.json'), 'utf8'));
const pinned: Record<string, LockedPackage> = { '': { name, ...locked[workspace] } };

pinDependencies(workspace, {});
const packages = Object.fromEntries(Object.entries(pinned).sort(([a], [b]) => (a < b ? -1 : 1)));
const shrinkwrap = { name, version, lockfileVersion: lock.lockfileVersion, requires: true, packages };
writeFileSync(join(REPOSITORY, workspace, 'npm-shrinkwrap.json'), `${JSON.stringify(shrinkwrap, null, 2)}\n`);

function pinDependencies(place: string, flags: Flags): void {
  const { dependencies, peerDependencies, peerDependenciesMeta, optionalDependencies = {} } = locked[place] ?? {};
  const peers = Object.keys(peerDependencies ?? {}).filter((each) => !peerDependenciesMeta?.[each]?.optional);
  for (const each of [...Object.keys(dependencies ?? {}), ...peers]) {
    if (!(each in optionalDependencies)) pin(each, place, flags);
  }
  for (const each of Object.keys(optionalDependencies)) pin(each, place, { ...flags, optional: true });
}

/** Pins a dependency and its dependencies, unless they are already pinned with the same or fewer flags. */
function pin(dependency: string, from: string, flags: Flags): void {
  const place = findPlace(dependency, from);
  // The packages of this repository depend on each other by range.
  if (locked[place]?.link) return;
  const target = place.replace(`${workspace}/node_modules/`, 'node_modules/');
  const { dev, devOptional, peer, optional, ...facts } = locked[place] ?? {};
  const known = pinned[target];
  if (known && known.integrity !== facts.integrity)
    throw new Error(`Two versions of ${dependency} are needed at ${target}.`);
  if (known && (flags.optional || !known.optional)) return;
  pinned[target] = { ...facts, ...flags };
  pinDependencies(place, flags);
}

/** Where Node.js finds a dependency: in the nearest `node_modules`. */
function findPlace(dependency: string, from: string): string {
  const place = join(from, 'node_modules', dependency);
  if (locked[place]) return place;
  if (from === '') throw new Error(`package-lock.json does not contain ${dependency}.`);
  const parent = from.includes('node_modules/')
    ? from.slice(0, from.lastIndexOf('node_modules/')).replace(/\/$/, '')
    : '';
  return findPlace(dependency, parent);
}
