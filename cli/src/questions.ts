import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './exit-codes.ts';

export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on stderr or through `output`. @throws {CommandError} with the message `left` on Ctrl-D */
export async function ask(
  question: string,
  left: string,
  output: NodeJS.WritableStream = process.stderr,
  onReady?: () => void,
): Promise<string> {
  const questions = createInterface({ input: process.stdin, output, terminal: true });
  onReady?.();
  const closed = new Promise<undefined>((resolve) => questions.once('close', () => resolve(undefined)));
  // readline puts the terminal into raw mode, where Ctrl-C sends no signal.
  questions.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await Promise.race([questions.question(question), closed]);
    if (answer !== undefined) return answer;
    process.stderr.write('\n');
    throw new CommandError(left);
  } finally {
    questions.close();
  }
}

/** Asks a yes-or-no question. @throws {CommandError} with the message `left` unless the answer is yes */
export async function confirm(question: string, left: string): Promise<void> {
  const answer = await ask(`${question} [y/N] `, left);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(left);
}

/** Asks without echoing the input. @throws {CommandError} with the message `left` on Ctrl-D */
export async function askHidden(question: string, left: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // The terminal must hide input before the question appears, because a program can answer at once.
  const answer = await ask('', left, nowhere, () => process.stderr.write(question));
  process.stderr.write('\n');
  return answer;
}
