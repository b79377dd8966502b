import { existsSync, readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

export interface Config {
  host: string;
  /** 0 picks a free one. */
  port: number;
  databaseUrl: string;
  /** How a PostgreSQL server is used. */
  databasePool: { poolSize: number; statementTimeoutMs: number; preparesStatements: boolean };
  /** Without a slash at its end; undefined when the service's own address is the public one. */
  publicUrl: string | undefined;
  logLevel: string;
  trustedProxies: BlockList | undefined;
  /** The requests of one key; undefined for any number. */
  rateLimit: { points: number; seconds: number } | undefined;
  /** Where the setup link is written. */
  dataDirectory: string;
  /** Who is made the first administrator if there is none. */
  firstAdministrator: { email: string; password: string } | undefined;
  /** How invitations are mailed; undefined if they are not. */
  mail: { smtpUrl: string; from: string } | undefined;
  /** How many processes serve; undefined when the one that is started does so itself. */
  workers: number | undefined;
}

/** Variables by their names. */
export type Environment = NodeJS.ProcessEnv;

/** A setting that cannot be: the message names the variable. */
export class ConfigError extends Error {}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
/** Requests, a slash, and a time. */
const RATE_LIMIT = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/;
const SECONDS_OF_UNIT: Record<string, number> = { s: 1, m: 60, h: 3600 };
/** A day. Timers hold 24 of them at most. */
const RATE_LIMIT_SECONDS_MAX = 86_400;
const PACKAGE_DIRECTORY = dirname(import.meta.dirname);

/** More would be a slip of the hand. */
const WORKERS_MAX = 256;

/**
 * Reads the settings, by default from the environment, and from `.env` for what it does not have. An empty variable counts
 * as not set, and `.env` does not fill it in.
 * @throws {ConfigError} for a value that is none
 */
export function readConfig(env: Environment = loadEnvironment()): Config {
  const base = baseDirectory();
  const dataDirectory = resolve(base, env.DATA_DIR || 'data');
  const publicUrl = env.PUBLIC_URL ? parsePublicUrl(env.PUBLIC_URL) : undefined;
  return Object.freeze({
    host: env.HOST || '127.0.0.1',
    port: parsePort(env.PORT || '3000'),
    databaseUrl: parseDatabaseUrl(env.DATABASE_URL || `file:${join(dataDirectory, 'listings.db')}`, base),
    databasePool: {
      poolSize: parsePoolSize(env.DATABASE_POOL_SIZE || '10'),
      statementTimeoutMs: parseStatementTimeout(env.DATABASE_STATEMENT_TIMEOUT || '2500ms'),
      preparesStatements: parseSwitch('DATABASE_PREPARED_STATEMENTS', env.DATABASE_PREPARED_STATEMENTS || 'on'),
    },
    publicUrl,
    logLevel: parseLogLevel(env.LOG_LEVEL || 'info'),
    trustedProxies: env.TRUSTED_PROXIES ? parseTrustedProxies(env.TRUSTED_PROXIES) : undefined,
    rateLimit: parseRateLimit(env.RATE_LIMIT || '600/10s'),
    dataDirectory,
    firstAdministrator: readFirstAdministrator(env, base),
    mail: parseMail(env.SMTP_URL, env.MAIL_FROM, publicUrl),
    workers: env.WORKERS ? parseWorkers(env.WORKERS) : undefined,
  });
}

function loadEnvironment(): Environment {
  if (existsSync(envFile())) loadEnvFile(envFile());
  return process.env;
}

/** What `.env` says now, where `given` says nothing. */
export function readEnvironment(given: Environment): Environment {
  return existsSync(envFile()) ? { ...parseEnv(readFileSync(envFile(), 'utf8')), ...given } : given;
}

function envFile(): string {
  return join(baseDirectory(), '.env');
}

/** In a clone all commands mean the same files, wherever they are called from; elsewhere those of the current directory. */
function baseDirectory(): string {
  return findClone() ?? process.cwd();
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

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new ConfigError(`PORT must be a number from 0 to 65535, not "${text}".`);
}

/** A database that an option names, in the same words as `DATABASE_URL`. @throws {ConfigError} */
export function parseDatabaseOption(name: string, text: string): string {
  return parseDatabaseUrl(text, baseDirectory(), name);
}

function parseDatabaseUrl(text: string, base: string, name = 'DATABASE_URL'): string {
  if (/^postgres(?:ql)?:/.test(text)) return parsePostgresUrl(text, name);
  if (!text.startsWith('file:') || text === 'file:') {
    throw new ConfigError(`${name} must be file: and a path, or like postgres://user:password@host/database.`);
  }
  const path = text.startsWith('file://') ? fileUrlPath(text, name) : text.slice('file:'.length);
  return `file:${resolve(base, path)}`;
}

function parsePostgresUrl(text: string, name: string): string {
  const url = URL.parse(text);
  if (url !== null && url.pathname.length > 1) return text;
  // It may hold a password.
  throw new ConfigError(`${name} must be like postgres://user:password@host:5432/database.`);
}

/** What a connection costs the server is memory; more than its processors can work on at a time are of no use. */
const POOL_SIZE_MAX = 1_000;

function parsePoolSize(text: string): number {
  const size = Number(text);
  if (/^\d{1,4}$/.test(text) && size >= 1 && size <= POOL_SIZE_MAX) return size;
  throw new ConfigError(`DATABASE_POOL_SIZE must be a number from 1 to ${POOL_SIZE_MAX}, not "${text}".`);
}

const STATEMENT_TIMEOUT_MIN_MS = 100;
const STATEMENT_TIMEOUT_MAX_MS = 600_000;

function parseStatementTimeout(text: string): number {
  const [, number, unit] = /^(\d{1,6})(ms|s)$/.exec(text) ?? [];
  const timeoutMs = Number(number) * (unit === 's' ? 1_000 : 1);
  if (timeoutMs >= STATEMENT_TIMEOUT_MIN_MS && timeoutMs <= STATEMENT_TIMEOUT_MAX_MS) return timeoutMs;
  throw new ConfigError(`DATABASE_STATEMENT_TIMEOUT must be a time from 100ms to 600s, such as 2500ms, not "${text}".`);
}

function parseSwitch(name: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new ConfigError(`${name} must be on or off, not "${text}".`);
}

function fileUrlPath(text: string, name: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new ConfigError(`${name} must be like file:///path/to/listings.db, not "${text}".`);
  }
}

function parsePublicUrl(text: string): string {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash;
  if (isOrigin && url.username === '') return url.origin;
  throw new ConfigError(`PUBLIC_URL must be like https://listings.example.com, without a path, not "${text}".`);
}

function parseLogLevel(text: string): string {
  if (LOG_LEVELS.includes(text)) return text;
  throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${text}".`);
}

function parseTrustedProxies(text: string): BlockList {
  const list = new BlockList();
  for (const entry of text.split(',')) {
    const [address = '', bits] = entry.trim().split('/');
    const family = isIP(address);
    const length = bits === undefined ? Number.NaN : Number(bits);
    if (family === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && length <= (family === 6 ? 128 : 32)))) {
      throw new ConfigError(
        `TRUSTED_PROXIES must be addresses or networks like 10.0.0.0/8, with commas, not "${entry.trim()}".`,
      );
    }
    const type = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, type);
    else list.addSubnet(address, length, type);
  }
  return list;
}

function parseRateLimit(text: string): Config['rateLimit'] {
  if (text === 'off') return undefined;
  const allowance = parseAllowance(text);
  if (allowance !== undefined) return allowance;
  throw new ConfigError(
    `RATE_LIMIT must be requests and a time of up to 24h, such as 600/10s, 100/1m or 5000/1h, or off, not "${text}".`,
  );
}

/** What a text such as `600/10s` says; undefined for what is none, and for a time above 24 hours. */
export function parseAllowance(text: string): { points: number; seconds: number } | undefined {
  const [, points, time, unit = ''] = RATE_LIMIT.exec(text) ?? [];
  const seconds = Number(time) * (SECONDS_OF_UNIT[unit] ?? Number.NaN);
  return seconds <= RATE_LIMIT_SECONDS_MAX ? { points: Number(points), seconds } : undefined;
}

/** A mailed link must not have the address that a request names: whoever sends that could have links mailed to a page of theirs. */
function parseMail(
  smtpUrl: string | undefined,
  from: string | undefined,
  publicUrl: string | undefined,
): Config['mail'] {
  if (!smtpUrl && !from) return undefined;
  if (!smtpUrl) throw new ConfigError('MAIL_FROM needs SMTP_URL, which says how mail is sent.');
  if (!/^smtps?:\/\/[^/]/i.test(smtpUrl) || !URL.canParse(smtpUrl)) {
    // It may hold a password.
    throw new ConfigError('SMTP_URL must be like smtps://user:password@mail.example.com:465.');
  }
  if (!from) throw new ConfigError('SMTP_URL needs MAIL_FROM, such as listings@example.com.');
  if (publicUrl === undefined) {
    throw new ConfigError(
      'SMTP_URL needs PUBLIC_URL, the address in mailed links, such as https://listings.example.com.',
    );
  }
  return { smtpUrl, from };
}

function parseWorkers(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), WORKERS_MAX);
  const count = Number(text);
  if (/^\d{1,3}$/.test(text) && count >= 1 && count <= WORKERS_MAX) return count;
  throw new ConfigError(`WORKERS must be a number from 1 to ${WORKERS_MAX}, or auto, not "${text}".`);
}

/** A password can come in a file, as containers are given secrets: its last line end is not part of it. */
function readFirstAdministrator(env: Environment, base: string): Config['firstAdministrator'] {
  const [email, given, file] = [env.ADMIN_EMAIL, env.ADMIN_PASSWORD, env.ADMIN_PASSWORD_FILE];
  if (given && file) throw new ConfigError('Give ADMIN_PASSWORD or ADMIN_PASSWORD_FILE, not both.');
  const password = file ? readSecret('ADMIN_PASSWORD_FILE', resolve(base, file)) : given;
  if (email && password) return { email, password };
  if (email) throw new ConfigError('ADMIN_EMAIL needs ADMIN_PASSWORD or ADMIN_PASSWORD_FILE.');
  if (password) throw new ConfigError(`${file ? 'ADMIN_PASSWORD_FILE' : 'ADMIN_PASSWORD'} needs ADMIN_EMAIL.`);
  return undefined;
}

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${name} cannot be read: ${reason}.`);
  }
}
