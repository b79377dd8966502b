import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { AppError } from '../model/errors.ts';

/** A password never stands in a command's arguments: everybody on the machine can read those. */
export async function readPassword(isOnStdin: true | undefined, flag: string, command: Command): Promise<string> {
  if (isOnStdin) return (await text(process.stdin)).replace(/\r?\n$/, '');
  if (!process.stdin.isTTY) return command.error(`error: give the password on the standard input, with ${flag}`);
  const password = await ask('Password: ');
  if ((await ask('The same again: ')) === password) return password;
  throw new AppError('validation_failed', 'The two passwords are not the same, and nothing was changed.');
}

/** Asks on stderr, as stdout is for the answer, and does not show what is typed. */
async function ask(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const questions = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // Only now: what is typed before it would be shown by the terminal.
  process.stderr.write(question);
  const closed = new Promise<string>((resolve) => questions.once('close', () => resolve('')));
  const typed = await Promise.race([questions.question(''), closed]);
  questions.close();
  process.stderr.write('\n');
  return typed;
}
