import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from './random.ts';
import { UnsyncedFile } from './unsynced-file.ts';

const DATABASE = 'var/listings/listings.db';

/** Returns why power losses cannot be simulated here; undefined if they can. */
export function whyNoPowerLoss(): string | undefined {
  if (process.platform !== 'linux') return 'Power loss: system calls can be recorded only on Linux.';
  if (spawnSync('cc', ['--version']).error !== undefined) return 'Power loss: this machine has no C compiler (`cc`).';
  return undefined;
}

const SOURCE = join(import.meta.dirname, 'power-loss.c');

export interface PowerLoss {
  /** Environment variables for the service and its commands. */
  settings: Record<string, string>;
  /** Simulates a power loss; all processes must have ended. */
  between(): void;
  sums: { losses: number; unsynced: number; inCheckpoint: number };
}

/** The first losses, and `STRICT_SHARE` of the later ones, keep only synced data. Others may keep unsynced data. */
const STRICT_FIRST = 2;
const STRICT_SHARE = 0.25;

/** With the returned settings, a service keeps its files on a simulated disk in a subdirectory of `directory`. */
export function preparePowerLoss(directory: string, random: Random, given: Record<string, string>): PowerLoss {
  const library = join(directory, 'power-loss.so');
  if (!existsSync(library)) execFileSync('cc', ['-O2', '-shared', '-fPIC', '-pthread', '-o', library, SOURCE]);
  const root = join(directory, `disk-${random.upTo(1e9)}`);
  const log = `${root}.log`;
  mkdirSync(root);
  let disk = new Disk(root);
  const sums = { losses: 0, unsynced: 0, inCheckpoint: 0 };
  return {
    sums,
    settings: {
      ...given,
      LD_PRELOAD: library,
      POWER_LOSS_ROOT: root,
      POWER_LOSS_LOG: log,
      // The service creates this directory and its parent.
      DATA_DIR: join(root, dirname(DATABASE)),
    },
    between() {
      if (sums.losses === 0 || existsSync(log)) disk.follow(readFileSync(log));
      const unsynced = disk.findUnsynced();
      if (unsynced.length > 0) sums.unsynced += 1;
      if (unsynced.includes(join(root, DATABASE))) sums.inCheckpoint += 1;
      const isStrict = sums.losses < STRICT_FIRST || random.next() < STRICT_SHARE;
      disk.losePower(isStrict ? undefined : random);
      sums.losses += 1;
      rmSync(log, { force: true });
      disk = new Disk(root);
    },
  };
}

/** The length of a record's header in `power-loss.c`: four numbers of eight bytes. The data follows. */
const RECORD_BYTES = 32;
const MAGIC = 0x504f574552000000n;
const KIND_MASK = 0xffn;
const DIRECTORY = 'a directory';
const SHARED_MEMORY = /-shm$/;

type Entry = UnsyncedFile | typeof DIRECTORY;

interface Naming {
  position: number;
  path: string;
  /** What the path names after the call; undefined for an unlink. */
  entry: Entry | undefined;
}

/**
 * A directory whose state after a power loss is simulated: synced data, and any part of the unsynced data. Of the
 * names that were created or removed since the last sync, a prefix survives, as on journaling and copy-on-write file
 * systems.
 */
class Disk {
  readonly #root: string;
  readonly #entries = new Map<string, Entry>();
  readonly #files = new Map<bigint, UnsyncedFile>();
  #namings: Naming[] = [];

  /** Treats the current content as synced. */
  constructor(root: string) {
    this.#root = root;
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) this.#load(join(root, name));
  }

  #load(path: string): void {
    const stat = statSync(path, { bigint: true });
    if (stat.isDirectory()) this.#entries.set(path, DIRECTORY);
    else {
      const file = this.#files.get(stat.ino) ?? new UnsyncedFile(readFileSync(path));
      this.#entries.set(path, file);
      this.#files.set(stat.ino, file);
    }
  }

  /** Replays the recorded calls of processes that have ended. */
  follow(log: Buffer): void {
    for (let position = 0; position + RECORD_BYTES <= log.length; ) {
      const [kind = 0n, inode = 0n, number = 0n, length = 0n] = [0, 8, 16, 24].map((at) =>
        log.readBigUInt64LE(position + at),
      );
      const end = position + RECORD_BYTES + Number(length);
      // The last record of a process that was killed can be incomplete.
      if ((kind & ~KIND_MASK) !== MAGIC || end > log.length) return;
      const data = log.subarray(position + RECORD_BYTES, end);
      this.#take(String.fromCharCode(Number(kind & KIND_MASK)), { position, inode, number: Number(number), data });
      position = end;
    }
  }

  #take(kind: string, record: { position: number; inode: bigint; number: number; data: Buffer }): void {
    const { position, inode, number, data } = record;
    if (kind === 'C') {
      const file = new UnsyncedFile();
      this.#files.set(inode, file);
      this.#namings.push({ position, path: data.toString(), entry: file });
    } else if (kind === 'L') this.#namings.push({ position, path: data.toString(), entry: this.#find(inode) });
    else if (kind === 'M') this.#namings.push({ position, path: data.toString(), entry: DIRECTORY });
    else if (kind === 'U') this.#namings.push({ position, path: data.toString(), entry: undefined });
    else if (kind === 'W') this.#find(inode).add({ position, offset: number, data });
    else if (kind === 'T') this.#find(inode).add({ position, size: number });
    else if (kind === 'S') this.#find(inode).sync(number);
    else if (kind === 'D') this.#syncNames(data.toString(), number);
    else throw new Error(`a power loss after this call cannot be simulated: ${data}`);
  }

  #find(inode: bigint): UnsyncedFile {
    const file = this.#files.get(inode);
    if (file === undefined) throw new Error(`the log contains the inode of a file that never existed: ${inode}`);
    return file;
  }

  #syncNames(directory: string, position: number): void {
    const isSynced = (naming: Naming) => dirname(naming.path) === directory && naming.position < position;
    for (const naming of this.#namings.filter(isSynced)) this.#name(naming);
    this.#namings = this.#namings.filter((naming) => !isSynced(naming));
  }

  #name({ path, entry }: Naming): void {
    if (entry === undefined) this.#entries.delete(path);
    else this.#entries.set(path, entry);
  }

  findUnsynced(): string[] {
    const entries = [...this.#entries].filter(([path]) => !SHARED_MEMORY.test(path));
    return entries.filter(([, entry]) => entry instanceof UnsyncedFile && entry.isUnsynced).map(([path]) => path);
  }

  /** Writes a state that is possible after a power loss; without `random`, only synced data. */
  losePower(random?: Random): void {
    const kept = random === undefined ? 0 : random.upTo(this.#namings.length);
    for (const naming of this.#namings.slice(0, kept)) this.#name(naming);
    const left = readSharedMemory(this.#root);
    for (const name of readdirSync(this.#root)) rmSync(join(this.#root, name), { recursive: true });
    const paths = [...this.#entries.keys()].sort();
    const written = new Map<UnsyncedFile, string>();
    for (const path of paths) {
      const entry = this.#entries.get(path);
      const isReachable = dirname(path) === this.#root || this.#entries.get(dirname(path)) === DIRECTORY;
      if (!isReachable || entry === undefined) this.#entries.delete(path);
      else if (entry === DIRECTORY) mkdirSync(path, { mode: 0o700 });
      else if (SHARED_MEMORY.test(path)) writeSharedMemory(path, left.get(path), random);
      else {
        const otherName = written.get(entry);
        if (otherName === undefined) writeFileSync(path, entry.survive(random), { mode: 0o600 });
        else linkSync(otherName, path);
        written.set(entry, path);
      }
    }
  }
}

/** Reads SQLite's shared memory, whose memory-mapped writes are not recorded. SQLite rebuilds this file. */
function readSharedMemory(root: string): Map<string, Buffer> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => SHARED_MEMORY.test(name));
  return new Map(paths.map((name) => [join(root, name), readFileSync(join(root, name))]));
}

function writeSharedMemory(path: string, left: Buffer | undefined, random?: Random): void {
  if (random === undefined) return;
  const what = random.pick(['as it was', 'empty', 'garbage', 'nothing']);
  if (what === 'nothing') return;
  const bytes = { 'as it was': left, garbage: random.bytes(left?.length ?? 0) }[what];
  writeFileSync(path, bytes ?? Buffer.alloc(0), { mode: 0o600 });
}
