import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Whether there is somebody to ask. */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on stderr, as stdout is for the answer; what was not answered is empty. */
export function ask(question: string): Promise<string> {
  return askThrough(question, process.stderr);
}

/** As `ask`, without showing what is typed. */
export async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await askThrough('', nowhere);
  process.stderr.write('\n');
  return answer;
}

async function askThrough(question: string, output: NodeJS.WritableStream): Promise<string> {
  const questions = createInterface({ input: process.stdin, output, terminal: true });
  const closed = new Promise<string>((resolve) => questions.once('close', () => resolve('')));
  // Ctrl-C, which the terminal itself no longer turns into a signal here.
  questions.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await Promise.race([questions.question(question), closed]);
  } finally {
    questions.close();
  }
}
