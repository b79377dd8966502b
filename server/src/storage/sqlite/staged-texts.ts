import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { translateError } from './errors.ts';

const CACHE_KIB = 1_024;
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
 * Strings that are needed until the end of a request. The first ones stay in memory, and the others are in an
 * unnamed temporary file, which is deleted when the connection closes.
 */
export class StagedTexts {
  readonly #memoryLengthMax: number;
  #memoryLength = 0;
  #file: TextFile | undefined;

  constructor(memoryLengthMax = MEMORY_LENGTH_MAX) {
    this.#memoryLengthMax = memoryLengthMax;
  }

  readonly keep: KeepText = (text) => {
    this.#memoryLength += text.length;
    if (this.#memoryLength <= this.#memoryLengthMax) return text;
    const file = this.#file ?? new TextFile();
    this.#file = file;
    const number = file.add(text);
    return { read: () => file.read(number) };
  };

  [Symbol.dispose](): void {
    this.#file?.close();
  }
}

class TextFile {
  readonly #database = new DatabaseSync('');
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor() {
    // The file does not need to survive a crash or to be rolled back.
    const begin = `
      pragma journal_mode = off;
      pragma synchronous = off;
      pragma cache_size = -${CACHE_KIB};
      create table texts (number integer primary key, text text) strict;
      begin;
    `;
    translated(() => this.#database.exec(begin));
    this.#insert = this.#database.prepare('insert into texts (text) values (?)');
    this.#select = this.#database.prepare('select text from texts where number = ?');
  }

  /** @returns the string's number */
  add(text: string): number {
    return translated(() => Number(this.#insert.run(text).lastInsertRowid));
  }

  read(number: number): string {
    return translated(() => String(this.#select.get(number)?.text));
  }

  close(): void {
    this.#database.close();
  }
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translateError(error);
  }
}
