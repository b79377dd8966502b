import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { AppError } from '../model/errors.ts';

/** Passwords are never read from arguments, which every user of the machine can see. */
export async function readPassword(isOnStdin: true | undefined, flag: string, command: Command): Promise<string> {
  if (isOnStdin) return (await text(process.stdin)).replace(/\r?\n$/, '');
  if (!process.stdin.isTTY) return command.error(`error: pass the password on standard input, with ${flag}`);
  const password = await ask('Password: ', { isHidden: true });
  if ((await ask('Repeat the password: ', { isHidden: true })) === password) return password;
  throw new AppError('validation_failed', 'The passwords differ; nothing was changed.');
}

/**
 * Asks on stderr, since stdout is for results. `isHidden` hides the input in the terminal.
 * @returns an empty string if the input ends first
 */
export async function ask(question: string, { isHidden = false } = {}): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const questions = createInterface(
    isHidden
      ? { input: process.stdin, output: nowhere, terminal: true }
      : { input: process.stdin, output: process.stderr },
  );
  // Printed only now: until the interface exists, the terminal would show what users type.
  if (isHidden) process.stderr.write(question);
  const typed = await new Promise<string>((resolve) => {
    questions.question(question, resolve);
    // The last line, if it has no line break.
    questions.once('line', resolve);
    questions.once('close', () => resolve(''));
  });
  questions.close();
  if (isHidden) process.stderr.write('\n');
  return typed;
}
