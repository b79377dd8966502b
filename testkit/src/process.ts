import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type CommandResult, WarmProgram } from './warm-program.ts';

/** The program that runs from its sources, as in a clone of the repository. */
export const SOURCE_PROGRAM = new URL('../../server/bin/property-listings.js', import.meta.url).pathname;
/** The test suites set a bundled program, because loading the sources takes longer than most tests. */
export const PROGRAM = process.env.TEST_PROGRAM || SOURCE_PROGRAM;
export const REPOSITORY = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

export interface ServeProcess {
  url: string;
  child: ChildProcess;
  /** The process's log lines, parsed. */
  log: Record<string, unknown>[];
  stderr(): string;
  /** Sends a signal and resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Isolates a program from the caller's environment, except for the variables that every program needs. */
export function bareEnvironment(settings: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...settings };
}

const SETTINGS = `
  HOST PORT DATA_DIR DATABASE_URL COPY_FROM_URL COPY_TO_URL DATABASE_POOL_SIZE
  DATABASE_STATEMENT_TIMEOUT DATABASE_PREPARED_STATEMENTS PUBLIC_URL LOG_LEVEL TRUSTED_PROXIES
  RATE_LIMIT ADMIN_EMAIL ADMIN_PASSWORD ADMIN_PASSWORD_FILE SMTP_URL MAIL_FROM WORKERS
  METRICS_ADDRESS LOG_PROBES REQUEST_LOG DATABASE_URL_FILE SMTP_URL_FILE SECRETS_KEY_FILE WEBHOOKS
  WEBHOOK_ALLOW BACKUP_SCHEDULE BACKUP_DIR BACKUP_KEEP COPY_FROM_URL_FILE COPY_TO_URL_FILE
  MAP_TILES_URL MAP_ATTRIBUTION`
  .trim()
  .split(/\s+/);

/** Like `bareEnvironment`, but with empty variables that override a developer's `.env`. */
export function environment(settings: Record<string, string>): Record<string, string> {
  const unset = Object.fromEntries(SETTINGS.map((name) => [name, '']));
  return bareEnvironment({ ...unset, ...settings });
}

/** A copy of the program, and its working directory, which may contain a `.env`. */
export interface ProgramCopy {
  program: string;
  cwd: string;
  /** Whether the program contains Node.js. */
  isExecutable?: boolean;
}

export async function spawnService(settings: Record<string, string>, copy?: ProgramCopy): Promise<ServeProcess> {
  const given = { PORT: '0', ...settings };
  const command = [copy?.program ?? programFor(settings), 'serve'];
  if (!copy?.isExecutable) command.unshift(process.execPath);
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    env: copy === undefined ? environment(given) : bareEnvironment(given),
    cwd: copy?.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.once('close', (code) => reject(new Error(`The service ended with ${code} before it listened: ${stderr}`)));
  // Parse only lines that end with a newline: the last line of a process that was killed may be cut off.
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const entry = JSON.parse(line);
      log.push(entry);
      if (entry.msg === 'listening') resolve(entry.url);
    }
  });
  return {
    url: await url,
    child,
    log,
    stderr: () => stderr,
    async end(signal = 'SIGTERM') {
      const exited = once(child, 'exit');
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

/** Planted faults change the sources, so they require the program that runs from its sources. */
function programFor(settings: Record<string, string>): string {
  return settings.PLANTED_SOURCES === undefined ? PROGRAM : SOURCE_PROGRAM;
}

/** Runs a command in its own process. `input` is the command's stdin. */
export function runCommand(args: string[], settings: Record<string, string>, input = ''): Promise<CommandResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  const env = environment(settings);
  const child = execFile(process.execPath, [programFor(settings), ...args], { env }, (error, stdout, stderr) => {
    const code = error === null ? 0 : error.code;
    if (typeof code === 'number') resolve({ code, stdout, stderr });
    else reject(error);
  });
  // Ignore errors: the command may exit without reading its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return promise;
}

const warm = new WarmProgram(new URL('./warm-server.ts', import.meta.url));

/** Like `runCommand`, but without a separate process, for commands that do not depend on one. */
export function runCommandWarm(args: string[], settings: Record<string, string>, input = ''): Promise<CommandResult> {
  return warm.run({ args, env: environment(settings), input });
}

export async function createTenantByCommand(settings: Record<string, string>, run = runCommandWarm) {
  const account = JSON.parse((await run(['accounts', 'create', '--name', 'Ada', '--json'], settings)).stdout);
  const args = ['keys', 'create', '--account', account.id, '--name', 'Test', '--json'];
  const key = JSON.parse((await run(args, settings)).stdout);
  return { accountId: String(account.id), keyId: String(key.id), key: String(key.key) };
}
