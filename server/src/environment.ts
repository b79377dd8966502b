import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { getSystemErrorMessage, parseEnv } from 'node:util';

export type Environment = NodeJS.ProcessEnv;

/** An error that the operator must fix. If a setting is invalid, the message names its variable. */
export class ConfigError extends Error {}

const PACKAGE_DIRECTORY = join(import.meta.dirname, '..');
/**
 * The names of secrets, whose values error messages never show. Each secret can be in a file that its `…_FILE`
 * variable names, or in a systemd credential with the secret's name. All but `SECRETS_KEY` are also settings.
 */
export const SECRETS = ['DATABASE_URL', 'SMTP_URL', 'ADMIN_PASSWORD', 'SECRETS_KEY'];
export const READABLE_FILE = 'the path of a readable file';
export const MASK = '***';

/** Adds variables that only `.env` sets; reads the file each time. @throws {ConfigError} if `.env` cannot be read */
export function readEnvironment(given: Environment): Environment {
  return { ...readEnvFile(), ...given };
}

/** The variables in `.env`; empty if there is no such file. @throws {ConfigError} if it cannot be read */
export function readEnvFile(): Environment {
  const file = envFile();
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = getSystemErrorMessage(Object(error).errno);
    throw new ConfigError(`Cannot read ${file}: ${reason}. It must be a file that this user can read.`);
  }
}

export function envFile(): string {
  return fromBase('.env');
}

/**
 * Returns the environment with the secrets from files and systemd credentials (systemd.io/CREDENTIALS) added.
 * @throws {ConfigError} if a secret is given twice, or its file cannot be read
 */
export function readSecrets(env: Environment, names: readonly string[] = SECRETS): Environment {
  const read = withCredentials(env, names);
  for (const name of names) {
    const file = read[`${name}_FILE`];
    if (!file) continue;
    if (read[name]) throw new ConfigError(`Set ${name} or ${name}_FILE, not both.`);
    try {
      read[name] = readText(file);
    } catch {
      // The secret itself may have been given instead of a path.
      const shown = isAbsolute(file) ? `, not "${withoutPassword(file)}"` : '';
      throw new ConfigError(`${name}_FILE must be ${READABLE_FILE}${shown}.`);
    }
  }
  return read;
}

/**
 * Returns a copy with a `…_FILE` variable for each secret that is given as a systemd credential: a file with the
 * secret's name.
 * @throws {ConfigError} if a secret is given twice
 */
export function withCredentials(env: Environment, names: readonly string[] = SECRETS): Environment {
  const { CREDENTIALS_DIRECTORY: directory = '' } = env;
  const found = { ...env };
  if (directory === '') return found;
  for (const name of names.filter((each) => existsSync(join(directory, each)))) {
    const given = [name, `${name}_FILE`].find((each) => env[each]);
    if (given !== undefined) throw new ConfigError(`Set ${given} or the credential ${name}, not both.`);
    // An empty variable selects the default.
    if (env[name] === undefined) found[`${name}_FILE`] ??= join(directory, name);
  }
  return found;
}

/** Reads a file's content, without a trailing newline. */
export function readText(path: string): string {
  return readFileSync(fromBase(path), 'utf8').replace(/\r?\n$/, '');
}

/** A database or mail URL with its password and query masked; `***` if the password could be in another part. */
export function maskUrl(text: string): string {
  if (text.startsWith('file:')) return text;
  const url = URL.parse(text);
  if (url === null || !/^\w+:\/\//.test(text) || /[:@]/.test(url.pathname) || /[?#].*@/s.test(text)) return MASK;
  if (url.password !== '') url.password = MASK;
  return maskQuery(url.href);
}

/** Masks what can be a password before an `@`. */
export function withoutPassword(text: string): string {
  return text.replace(/:.*@/s, `:${MASK}@`);
}

export function maskQuery(url: string): string {
  return url.replace(/[?#].+/s, `?${MASK}`);
}

/** In a clone of the repository, relative paths start at the clone's root; elsewhere, at the current directory. */
export function fromBase(path: string): string {
  return resolve(findClone() ?? process.cwd(), path);
}

/** The root of the clone that contains the program; undefined for a package or an executable. */
export function findClone(): string | undefined {
  const directory = dirname(PACKAGE_DIRECTORY);
  const manifest = join(directory, 'package.json');
  const isClone =
    existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'property-listings-repository';
  return isClone ? directory : undefined;
}

export function readRelease(): string {
  return JSON.parse(readFileSync(join(PACKAGE_DIRECTORY, 'package.json'), 'utf8')).version;
}
