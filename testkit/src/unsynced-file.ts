import type { Random } from './random.ts';

/** The bytes of a file that can grow. Bytes that were not written are zero. */
class Content {
  #bytes: Buffer;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  copy(): Content {
    return new Content(Buffer.from(this.bytes));
  }

  write(offset: number, data: Buffer): void {
    this.#reserve(offset + data.length);
    data.copy(this.#bytes, offset);
    this.#size = Math.max(this.#size, offset + data.length);
  }

  resize(size: number): void {
    this.#reserve(size);
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.alloc(size * 2);
    this.bytes.copy(larger);
    this.#bytes = larger;
  }
}

/** A write, or a truncation to `size`. `position` is that of the change's record in the log. */
export type Change = { position: number } & ({ offset: number; data: Buffer } | { size: number });

/** A file with synced and unsynced changes. */
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

  /** Makes changes durable if their records precede this position in the log. */
  sync(position: number): void {
    for (const change of this.#changes) if (change.position < position) apply(this.#durable, change);
    this.#changes = this.#changes.filter((change) => change.position >= position);
  }

  /** Returns what is left after a power loss: synced data and, with `random`, some of the rest. */
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

/** The sizes of units that disks and file systems write as a whole. */
const SECTOR_BYTES = [512, 4096];
/** Possible shares of the sectors whose last state reaches the disk. */
const SHARES = [0.05, 0.5, 0.95];

/** Gives each sector, and the file's size, a state that it had at some time since the last sync. */
function surviveInSectors(content: Content, changes: readonly Change[], random: Random): Content {
  const [sectorBytes, share] = [random.pick(SECTOR_BYTES), random.pick(SHARES)];
  const hasGarbage = random.next() < 0.5;
  const { size, kept } = chooseSize(content, changes, random);
  const durableSize = content.size;
  for (const [sector, writes] of bySector(kept, sectorBytes)) {
    const start = sector * sectorBytes;
    const count = random.next() < share ? writes.length : random.upTo(writes.length);
    // On some file systems, allocated but unwritten space holds old data.
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

/** Chooses the size after one of the changes. Data that was truncated is gone. */
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
