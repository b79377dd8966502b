import { test } from 'node:test';
import { whyNoMounts } from '../../../testkit/src/mounts.ts';
import { directoryFor } from '../../../testkit/src/serving.ts';
import { mountSmallDisk } from '../../../testkit/src/small-disk.ts';
import { applyOnFullDisk, stageOnFullDisk } from '../support/feed-disks.ts';

const NEEDS_MOUNTS = { skip: whyNoMounts() ?? false };

test('a disk that is full while the file is staged fails the run before the first write', NEEDS_MOUNTS, async (t) => {
  await stageOnFullDisk(t, { DATA_DIR: await directoryFor(t) }, await mountSmallDisk(t, 64));
});

test(
  'a disk that is full while the file is applied fails the run, which can be completed later',
  NEEDS_MOUNTS,
  async (t) => {
    const disk = await mountSmallDisk(t, 16);
    await applyOnFullDisk(t, { DATA_DIR: disk.directory }, disk);
  },
);
