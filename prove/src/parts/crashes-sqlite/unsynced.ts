import type { Random } from '../../random.ts';
import { Content } from './content.ts';

/** A write, or with `size` a truncation. `position` is where the log tells it. */
export type Change = { position: number } & ({ offset: number; data: Buffer } | { size: number });

/** One file of which a part was synced. */
export class UnsyncedFile {
  readonly #durable: Content;
  #changes: Change[] = [];

  constructor(durable: Buffer = Buffer.alloc(0)) {
    this.#durable = new Content(durable);
  }

  get isUnsynced(): boolean {
    return this.#changes.length > 0;
  }

  add(change: Change): void {
    this.#changes.push(change);
  }

  /** What stands in the log before this position is on the disk now. */
  sync(position: number): void {
    for (const change of this.#changes) if (change.position < position) apply(this.#durable, change);
    this.#changes = this.#changes.filter((change) => change.position >= position);
  }

  /** What the disk may hold: what was synced and, with `random`, of the rest something. */
  survive(random?: Random): Buffer {
    if (random === undefined) return this.#durable.bytes;
    const content = this.#durable.copy();
    const changes = this.#changes;
    const how = random.pick(['nothing', 'all', 'the first', 'sectors', 'sectors', 'sectors']);
    if (how === 'sectors') return surviveInSectors(content, changes, random).bytes;
    const counts: Record<string, number> = { all: changes.length, 'the first': random.upTo(changes.length) };
    for (const change of changes.slice(0, counts[how] ?? 0)) apply(content, change);
    return content.bytes;
  }
}

function apply(content: Content, change: Change): void {
  if ('size' in change) content.resize(change.size);
  else content.write(change.offset, change.data);
}

/** What disks and file systems write as a whole. */
const SECTOR_BYTES = [512, 4096];
/** How many of the sectors reach the disk as they were last. */
const SHARES = [0.05, 0.5, 0.95];

/** Each sector is on the disk as it was at some moment since the last sync, one earlier, another later; so is the size. */
function surviveInSectors(content: Content, changes: readonly Change[], random: Random): Content {
  const [sectorBytes, share] = [random.pick(SECTOR_BYTES), random.pick(SHARES)];
  const hasGarbage = random.next() < 0.5;
  const { size, kept } = chooseSize(content, changes, random);
  const durableSize = content.size;
  for (const [sector, writes] of bySector(kept, sectorBytes)) {
    const start = sector * sectorBytes;
    const count = random.next() < share ? writes.length : random.upTo(writes.length);
    // Space that a file has got and not written holds, on some file systems, what was there before.
    if (count === 0 && start >= durableSize && hasGarbage) content.write(start, random.bytes(sectorBytes));
    for (const { offset, data } of writes.slice(0, count)) {
      const from = Math.max(start, offset);
      const to = Math.min(start + sectorBytes, offset + data.length);
      content.write(from, data.subarray(from - offset, to - offset));
    }
  }
  content.resize(size);
  return content;
}

type Write = Extract<Change, { data: Buffer }>;

/** Up to some change the size is on the disk; where it became smaller, what was written there before is gone. */
function chooseSize(content: Content, changes: readonly Change[], random: Random): { size: number; kept: Write[] } {
  let size = content.size;
  let kept: Write[] = [];
  const sized = random.upTo(changes.length);
  for (const [index, change] of changes.entries()) {
    if ('data' in change) {
      kept.push(change);
      if (index < sized) size = Math.max(size, change.offset + change.data.length);
    } else if (index < sized) {
      ({ size } = change);
      if (size < content.size) content.resize(size);
      kept = kept.filter(({ offset }) => offset < change.size);
    }
  }
  return { size, kept };
}

function bySector(writes: readonly Write[], sectorBytes: number): Map<number, Write[]> {
  const sectors = new Map<number, Write[]>();
  for (const write of writes) {
    const last = Math.floor((write.offset + write.data.length - 1) / sectorBytes);
    for (let sector = Math.floor(write.offset / sectorBytes); sector <= last; sector += 1) {
      const those = sectors.get(sector);
      if (those === undefined) sectors.set(sector, [write]);
      else those.push(write);
    }
  }
  return sectors;
}
