import type { Listing } from '@property-listings/client';
import type { Command } from 'commander';
import { note, write } from './standard-output.ts';
import { pad, paint, toJson, toLine, toLines } from './terminal.ts';

export interface RecordOptions {
  json?: true;
}

export function withJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON only');
}

/** Writes JSON, or one line per member: two columns in a terminal, separated by a tab in a pipe. */
export async function writeRecord(value: object, { json }: RecordOptions, shown: object = value): Promise<void> {
  if (json) return write(`${toJson(value)}\n`);
  const entries = Object.entries(shown);
  const width = Math.max(...entries.map(([name]) => name.length)) + 2;
  const lines = entries.map(([name, member]) => {
    const text = toText(member);
    if (!process.stdout.isTTY) return `${name}\t${toLine(text)}`;
    // Continuation lines align with the first one.
    const indented = toLines(text).replaceAll('\n', `\n${' '.repeat(width)}`);
    return `${paint(process.stdout, 'bold', pad(name, width))}${indented}`;
  });
  await write(`${lines.join('\n')}\n`);
}

/**
 * Writes a changed listing as JSON, or only its ID. Without `--json`, the address is also shown on stderr if
 * that is a terminal.
 */
export async function writeChange(word: string, listing: Listing, { json }: RecordOptions): Promise<void> {
  if (json) return write(`${toJson(listing)}\n`);
  if (process.stderr.isTTY) {
    note(`${paint(process.stderr, 'green', word)} "${toLine(listing.address)}", version ${listing.version}:`);
  }
  await write(`${toLine(listing.id)}\n`);
}

/** Formats a value for display. */
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
