/** An entry of `package-lock.json`, version 3. */
interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export type LockFile = Record<string, LockedPackage>;

/** Returns the paths (the lock file's keys) of all packages that npm installs with a published workspace. */
export function findRuntimePlaces(lock: LockFile, workspace: string): string[] {
  const found = new Set<string>();
  const visit = (place: string): void => {
    for (const name of neededBy(lock[place] ?? {})) {
      const at = findPlace(lock, place, name);
      // `assertGood` in `supply-chain.ts` reports direct dependencies that the lock file lacks.
      if (at === undefined || found.has(at)) continue;
      found.add(at);
      visit(at);
    }
  };
  visit(workspace);
  return [...found].sort();
}

export function nameOf(place: string): string {
  return place.split('node_modules/').at(-1) ?? place;
}

function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: LockedPackage) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/** Finds a package in the nearest `node_modules` directory at or above `from`, as Node.js does. */
function findPlace(lock: LockFile, from: string, name: string): string | undefined {
  const steps = from.split('/');
  for (let depth = steps.length; depth >= 0; depth -= 1) {
    const above = steps.slice(0, depth);
    if (above.at(-1) === 'node_modules') continue;
    const place = [...above, 'node_modules', name].join('/');
    const there = lock[place];
    if (there !== undefined) return there.link ? there.resolved : place;
  }
  return undefined;
}
