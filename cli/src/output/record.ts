import type { Command } from 'commander';
import { write } from './standard-output.ts';
import { pad, paint, toJson, toLine, toLines } from './terminal.ts';

export interface RecordOptions {
  json?: true;
}

export function withJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON and nothing else');
}

/** One thing: a line for each of its members, in a terminal in two columns, piped with a tab between; or as JSON. */
export async function writeRecord(value: object, { json }: RecordOptions, shown: object = value): Promise<void> {
  if (json) return write(`${toJson(value)}\n`);
  const entries = Object.entries(shown);
  const width = Math.max(...entries.map(([name]) => name.length)) + 2;
  const lines = entries.map(([name, member]) => {
    const text = toText(member);
    if (!process.stdout.isTTY) return `${name}\t${toLine(text)}`;
    // The further lines of a text stand below its first one.
    const indented = toLines(text).replaceAll('\n', `\n${' '.repeat(width)}`);
    return `${paint(process.stdout, 'bold', pad(name, width))}${indented}`;
  });
  await write(`${lines.join('\n')}\n`);
}

/** A value as a person reads it. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
