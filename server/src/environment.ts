import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { getSystemErrorMessage, parseEnv } from 'node:util';

/** Environment variables by name. */
export type Environment = NodeJS.ProcessEnv;

/** An invalid setting; the message names the variable. */
export class ConfigError extends Error {}

const PACKAGE_DIRECTORY = join(import.meta.dirname, '..');
/**
 * Settings that can contain a password, so errors never show them. Each can also be in a file that `…_FILE` names, or in
 * a systemd credential of the same name.
 */
export const SECRETS = ['DATABASE_URL', 'SMTP_URL', 'ADMIN_PASSWORD', 'SECRETS_KEY'];
export const READABLE_FILE = 'the path of a readable file';
export const MASK = '***';
const SECRET_PARAMETER = /pass|secret|key|token/i;

/** `given`, completed with the current values in `.env`. @throws {ConfigError} if `.env` cannot be read */
export function readEnvironment(given: Environment): Environment {
  return { ...readEnvFile(), ...given };
}

/** The variables in `.env`; empty if there is none. @throws {ConfigError} if it cannot be read */
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
 * Adds the secrets that are in files or in systemd credentials (systemd.io/CREDENTIALS) to the environment.
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
      throw new ConfigError(`${name}_FILE must be ${READABLE_FILE}, not "${file}".`);
    }
  }
  return read;
}

/** A credential is like `…_FILE`: it has the secret's name. */
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

/** A database or mail URL without passwords. */
export function maskUrl(text: string): string {
  if (text.startsWith('file:')) return text;
  const url = URL.parse(text);
  if (url === null) return MASK;
  if (url.password !== '') url.password = MASK;
  for (const name of [...url.searchParams.keys()]) if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, MASK);
  return url.href;
}

/** In a clone, relative paths start at its root, wherever a command is run; elsewhere at the current directory. */
export function fromBase(path: string): string {
  return resolve(findClone() ?? process.cwd(), path);
}

/** The repository's directory; undefined where the package was installed. */
export function findClone(): string | undefined {
  const directory = dirname(PACKAGE_DIRECTORY);
  const manifest = join(directory, 'package.json');
  const isClone =
    existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'property-listings-repository';
  return isClone ? directory : undefined;
}

/** The program's version. */
export function readRelease(): string {
  return JSON.parse(readFileSync(join(PACKAGE_DIRECTORY, 'package.json'), 'utf8')).version;
}
