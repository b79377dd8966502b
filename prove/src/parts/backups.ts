import type { Fault, Outcome, Part, Trial } from '../part.ts';
import { createRandom } from '../random.ts';
import { refuse, restoreAndCompare } from './backups/restoring.ts';
import { type Source, takeUnderLoad } from './backups/taking.ts';

const BACKUP = 'server/src/storage/backup.ts';
const SNAPSHOT = 'server/src/storage/sqlite/snapshot.ts';

const faults: readonly Fault[] = [
  {
    name: 'copied-file',
    what: 'A backup copies the file that is in use, and not its log',
    patches: [
      {
        file: SNAPSHOT,
        from: 'await backup(source, target, { rate: ALL_PAGES });',
        to: "process.getBuiltinModule('fs').copyFileSync(path, target);",
      },
    ],
  },
  {
    name: 'kept-epoch',
    what: 'A restored database keeps its epoch',
    patches: [
      {
        file: 'server/src/storage/database-info.ts',
        from: 'session.execute(update, { cursorSecret, epoch });',
        to: 'session.execute(update, await getDatabaseInfo(session));',
      },
    ],
  },
  {
    name: 'unread-digest',
    what: 'A restore does not look at the digest',
    patches: [{ file: BACKUP, from: 'await verifyDigest(file);', to: '' }],
  },
  {
    name: 'running-service',
    what: 'A restore takes the file away from a running service',
    patches: [{ file: SNAPSHOT, from: 'lock(old, path);', to: '' }],
  },
  {
    name: 'without-force',
    what: 'A restore replaces a database without being told to',
    patches: [{ file: BACKUP, from: 'if (isThere && !options.force)', to: 'if (false)' }],
  },
];

/** Backups of each service, and listings that are there before. */
const SIZES = { full: { backups: 20, filler: 30_000 }, small: { backups: 2, filler: 0 } } as const;

export const backups: Part = {
  name: 'backups',
  title: 'Backup and restore',
  promise:
    'A backup of the running service is a state that it had, whole, and what is restored is never taken for what was.',
  faults,
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const { backups: count, filler } = SIZES[trial.size];
  const random = createRandom(trial.seed);
  const services = [{ name: 'one process', count, filler, given: {} }];
  if (trial.size === 'full') services.push({ name: 'two workers', count, filler, given: { WORKERS: '2' } });
  const sources: Source[] = [];
  for (const service of services) {
    const source = await takeUnderLoad(trial, random, service);
    trial.say(`${service.name}: what was taken is restored`);
    for (const backup of source.taken) await restoreAndCompare(trial, source, backup);
    await refuse(source);
    sources.push(source);
  }
  return describe(services, sources);
}

function describe(services: { name: string }[], sources: Source[]): Outcome {
  const taken = sources.flatMap((source) => source.taken);
  const largest = Math.max(...taken.map(({ bytes }) => bytes));
  const longest = Math.max(...taken.map(({ durationMs }) => durationMs));
  const acknowledged = sources.reduce((sum, source) => sum + source.acknowledged, 0);
  const p99s = sources.flatMap(({ probe }, index) => {
    if (probe === undefined) return [];
    const { without, during } = probe;
    const words = `${p99(without)} · ${p99(during)} ms (of ${without.length} · ${during.length} writes)`;
    return [[`p99 of writes without · during a backup, ${services[index]?.name}`, words] as const];
  });
  return {
    tried: `${taken.length} backups of ${services.map(({ name }) => name).join(' and ')}, all but the last of each under load, restored elsewhere and compared with all that was acknowledged and all events`,
    figure: `${taken.length} of ${taken.length} are a state that the service had, with a new epoch; 0 writes refused meanwhile`,
    figures: [
      ['acknowledged writes meanwhile', acknowledged.toLocaleString('en')],
      ['the largest', `${(largest / 1e6).toFixed(1)} MB`],
      ['the longest, with the start of the command', `${(longest / 1_000).toFixed(1)} s`],
      ...p99s,
    ],
  };
}

function p99(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  return (sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN).toFixed(1);
}
