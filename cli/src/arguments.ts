import { extname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Command } from './command.ts';

/** Parses a decimal number such as `3`, `450000.50`, or `1e6`. The service checks the range. */
export function parseNumber(text: string): number {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) {
    throw new InvalidArgumentError('It must be a number such as 3 or 450000.50, without separators or units.');
  }
  return Number(text);
}

export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1) throw new InvalidArgumentError('It must be a whole number, at least 1.');
  return count;
}

export function parseSequence(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, at least 0.');
  return Number(text);
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/**
 * Parses a repeated `KEY=TEXT` option into one object. The last `=` is the separator, because a key may contain
 * others. The service validates the keys and texts.
 */
export function parsePair(usage: string) {
  return (value: string, before: Record<string, string> = {}): Record<string, string> => {
    const at = value.lastIndexOf('=');
    if (at < 1) throw new InvalidArgumentError(`It must be ${usage}.`);
    return { ...before, [value.slice(0, at)]: value.slice(at + 1) };
  };
}

export function toGiven<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object(Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)));
}

export function chooseFormat<Format extends string>(
  formats: readonly Format[],
  file: string,
  command: Command,
): Format {
  const extension = extname(file).toLowerCase().replace('.jsonl', '.ndjson');
  const format = formats.find((candidate) => `.${candidate}` === extension);
  return format ?? command.usageError(`Unknown file name extension. Set --format to one of: ${formats.join(', ')}.`);
}
