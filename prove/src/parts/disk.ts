import { formatCount } from '../../../bench/src/formats.ts';
import { whyNoMounts } from '../../../testkit/src/mounts.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { readFaults } from '../planted-faults.ts';
import { damageFiles, makeOriginals } from './disk/damaged-files.ts';
import { fillDisk, fillTablespace } from './disk/full-disk.ts';
import { takeRights } from './disk/permissions.ts';

const whyNot = whyNoMounts();

export const disk: Part = {
  name: 'disk',
  title: 'Disk',
  promise:
    'On a full disk, writes get 507 and reads still work. With a damaged or read-only database file, the service does not start, and the error says what to do.',
  plantedFaults: readFaults('disk').filter(({ needs }) => whyNot === undefined || needs === undefined),
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const originals = await makeOriginals(trial);
  const damaged = await damageFiles(trial, originals);
  const rights = await takeRights(trial, originals.closed);
  const full = whyNot === undefined ? await fillDisk(trial) : undefined;
  const postgres = whyNot === undefined && trial.size === 'full' ? await fillTablespace(trial) : undefined;
  const refusedStarts = damaged.refused + rights.refused;
  const repaired: Figures = [
    ['damaged files: restored from a backup', formatCount(damaged.restored)],
    ['damaged logs: consistent, but in an earlier state', formatCount(damaged.earlier)],
  ];
  const tried = [
    ...(full === undefined ? [] : [`disk filled ${full.cycles} × under load`]),
    ...(postgres === undefined ? [] : [`PostgreSQL’s disk ${postgres.cycles} ×`]),
    `${refusedStarts} ways to damage a file or to deny access to it`,
  ];
  const started = `${refusedStarts} of ${refusedStarts} starts failed with advice`;
  return {
    tried: tried.join(', '),
    figure:
      full === undefined
        ? started
        : `${formatCount(full.refused)} writes rejected with 507, none of them stored; ${started}`,
    figures: [
      ...describeFull(full),
      ...describePostgres(postgres),
      ['damaged files: failed starts', formatCount(damaged.refused)],
      ...(trial.size === 'full' ? repaired : []),
      ['missing permissions: failed starts', formatCount(rights.refused)],
    ],
    skipped: [...rights.skipped, ...(whyNot === undefined ? [] : [`a full disk, and its planted faults: ${whyNot}`])],
  };
}

type Figures = Outcome['figures'];

function describeFull(full: Awaited<ReturnType<typeof fillDisk>> | undefined): Figures {
  if (full === undefined) return [];
  return [
    ['writes rejected with 507 under load, acknowledged when retried', formatCount(full.refused)],
    ['writes acknowledged in between, all stored', formatCount(full.acknowledged)],
    ['writes with an unknown outcome', formatCount(full.unknown)],
    ['kinds of requests on a full disk: writes get 507 and are not stored, reads get 200', formatCount(full.kinds)],
    ['starts on a full disk: failed with the reason', formatCount(full.starts.refused)],
    ['starts on a full disk: served reads', formatCount(full.starts.served)],
  ];
}

function describePostgres(postgres: Awaited<ReturnType<typeof fillTablespace>> | undefined): Figures {
  if (postgres === undefined) return [];
  return [
    ['PostgreSQL: writes rejected with 507', formatCount(postgres.refused)],
    ['PostgreSQL: writes acknowledged, all stored', formatCount(postgres.acknowledged)],
  ];
}
