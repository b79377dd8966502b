import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './exit-codes.ts';

/** Whether there is somebody to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on stderr, as stdout is for the answer. @throws `left` where Ctrl-D is the answer */
export function ask(question: string, left: string): Promise<string> {
  return askThrough(question, process.stderr, left);
}

/** As `ask`, without showing what is typed. */
export async function askHidden(question: string, left: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Only once the terminal hides input: a fast typist or a program can answer at once.
  const answer = await askThrough('', nowhere, left, () => process.stderr.write(question));
  process.stderr.write('\n');
  return answer;
}

async function askThrough(
  question: string,
  output: NodeJS.WritableStream,
  left: string,
  onReady?: () => void,
): Promise<string> {
  const questions = createInterface({ input: process.stdin, output, terminal: true });
  onReady?.();
  const closed = new Promise<undefined>((resolve) => questions.once('close', () => resolve(undefined)));
  // Ctrl-C, which the terminal itself no longer turns into a signal here.
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
