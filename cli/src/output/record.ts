import type { Listing } from '@property-listings/client';
import type { Command } from '../command.ts';
import { type CurlOptions, withCurlOption } from '../connection.ts';
import { note, write } from './standard-output.ts';
import { pad, paint, toJson, toLine } from './terminal.ts';

export interface RecordOptions {
  json?: true;
}

export interface OutputOptions extends CurlOptions, RecordOptions {}

export function withOutputOptions(command: Command): Command {
  return withCurlOption(command.option('--json', 'print JSON only'));
}

/** Writes JSON, or one line per member: two columns in a terminal, separated by a tab in a pipe. */
export async function writeRecord(value: object, { json }: RecordOptions, shown: object = value): Promise<void> {
  if (json) return write(`${toJson(value)}\n`);
  const entries = Object.entries(shown);
  const width = Math.max(...entries.map(([name]) => name.length)) + 2;
  const lines = entries.map(([name, member]) => {
    const text = toText(member);
    if (!process.stdout.isTTY) return `${name}\t${toLine(text)}`;
    const lines = text.split('\n').map(toLine);
    // Continuation lines align with the first one.
    return paint(process.stdout, 'bold', pad(name, width)) + lines.join(`\n${' '.repeat(width)}`);
  });
  await write(`${lines.join('\n')}\n`);
}

/** Writes a changed listing as JSON, or only its ID. A terminal on stderr also shows its address and version. */
export async function writeChange(word: string, listing: Listing, { json }: RecordOptions): Promise<void> {
  if (json) return write(`${toJson(listing)}\n`);
  if (process.stderr.isTTY) {
    note(`${paint(process.stderr, 'green', word)} "${toLine(listing.address)}", version ${listing.version}:`);
  }
  await write(`${toLine(listing.id)}\n`);
}

export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `listPrice 450000 → 439000, description` */
export function describeChanges(changes: Readonly<Record<string, object>>): string {
  const parts = Object.entries(changes).map(([name, change]) => {
    const { from, to } = Object(change);
    const isShown = 'from' in change || 'to' in change;
    return isShown ? `${name} ${toText(from) || '-'} → ${toText(to) || '-'}` : name;
  });
  return parts.join(', ');
}
