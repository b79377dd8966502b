import { TemporaryDatabase } from './temporary-database.ts';

const CACHE_KIB = 1_024;
const START = `pragma cache_size = -${CACHE_KIB}; create table texts (number integer primary key, text text) strict;`;
/** Characters that are kept in memory: those of 10,000 typical listings. */
const MEMORY_LENGTH_MAX = 24 * 1024 * 1024;

/** A string that is in memory or on disk. */
export type StagedText = string | { read(): string };

/** Reads a string within microseconds. @throws {AppError} `storage_full` or `unavailable` */
export function textOf(staged: StagedText): string {
  return typeof staged === 'string' ? staged : staged.read();
}

/** Keeps a string. @throws {AppError} `storage_full` or `unavailable` */
export type KeepText = (text: string) => StagedText;

export const keepInMemory: KeepText = (text) => text;

/**
 * Strings that are needed until the end of a request. The first ones stay in memory, and the others are in a
 * temporary database.
 */
export class StagedTexts {
  readonly #memoryLengthMax: number;
  #memoryLength = 0;
  #file: TemporaryDatabase | undefined;

  constructor(memoryLengthMax = MEMORY_LENGTH_MAX) {
    this.#memoryLengthMax = memoryLengthMax;
  }

  readonly keep: KeepText = (text) => {
    this.#memoryLength += text.length;
    if (this.#memoryLength <= this.#memoryLengthMax) return text;
    const file = this.#file ?? new TemporaryDatabase(START);
    this.#file = file;
    const [row] = file.all<{ number: number }>('insert into texts (text) values (?) returning number', [text]);
    const find = 'select text from texts where number = ?';
    return { read: () => String(file.all<{ text: string }>(find, [row?.number])[0]?.text) };
  };

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
  }
}
