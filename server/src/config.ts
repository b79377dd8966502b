import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  ConfigError,
  type Environment,
  fromBase,
  MASK,
  maskQuery,
  maskUrl,
  READABLE_FILE,
  readEnvironment,
  readSecrets,
  readText,
  SECRETS,
  withCredentials,
  withoutPassword,
} from './environment.ts';
import { type BackupKeep, type BackupSchedule, parseKeep, parseSchedule } from './model/backups.ts';

export type Config = ReturnType<typeof readConfig>;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const PORT_MAX = 65_535;
/** A larger number is probably a typo. */
const WORKERS_MAX = 256;
/** Each connection uses memory on the database server; more connections than processors are of little use. */
const POOL_SIZE_MAX = 1_000;
const STATEMENT_TIMEOUT_MIN_MS = 100;
const STATEMENT_TIMEOUT_MAX_MS = 600_000;
/** One day. The limiter uses timers, which can run for at most 24 days. */
const RATE_LIMIT_SECONDS_MAX = 86_400;
/** On a busy service, the request log would exceed a smaller limit before the next purge. */
const LOG_BYTES_MIN = 1_000_000;
const BYTES_OF_UNIT: Record<string, number> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };
const SECONDS_OF_UNIT: Record<string, number> = { s: 1, m: 60, h: 3600 };
const SECRETS_KEY_BYTES = 32;
const ATTRIBUTION_LENGTH_MAX = 200;
const DATABASE_FORM = 'a URL such as postgres://user:password@host:5432/database, or file: and a path';

/** Each setting has a schema with its default, the expected form for error messages, and a description. */
export const SETTINGS = z.object({
  HOST: row(z.string().prefault('127.0.0.1'), '', 'address to listen on; `0.0.0.0` for every interface'),
  PORT: row(integer(0, PORT_MAX).prefault('3000'), 'a number from 0 to 65535', 'port; `0` picks a free one'),
  DATA_DIR: row(z.string().transform(fromBase).prefault('./data'), '', 'directory of the database and the setup link'),
  DATABASE_URL: row(
    parsedBy(parseDatabaseUrl).optional(),
    DATABASE_FORM,
    '`file:` and a path, or `postgres://user:password@host/database`',
    '`file:$DATA_DIR/listings.db`',
  ),
  DATABASE_URL_FILE: row(z.string().optional(), READABLE_FILE, 'file that contains the URL, instead of `DATABASE_URL`'),
  DATABASE_POOL_SIZE: row(
    integer(1, POOL_SIZE_MAX).prefault('10'),
    `a number from 1 to ${POOL_SIZE_MAX}`,
    'maximum PostgreSQL connections per process, not counting two for the request log and the search index',
  ),
  DATABASE_STATEMENT_TIMEOUT: row(
    parsedBy(parseStatementTimeout).prefault('2500ms'),
    'a time from 100ms to 600s, such as 2500ms',
    'time limit for one PostgreSQL statement of a request, from `100ms` to `600s`',
  ),
  DATABASE_PREPARED_STATEMENTS: row(
    onOff().prefault('on'),
    'on or off',
    '`off` if a pooler does not preserve prepared statements or session settings',
  ),
  PUBLIC_URL: row(
    parsedBy(parseOrigin).optional(),
    'a URL such as https://listings.example.com, without a path',
    'URL at which clients reach the service, without a path, such as `https://listings.example.com`',
    'the address on which the service listens',
  ),
  LOG_LEVEL: row(
    z.enum(LOG_LEVELS).prefault('info'),
    `one of ${LOG_LEVELS.join(', ')}`,
    `minimum level of log lines: \`${LOG_LEVELS.join('`, `')}\``,
  ),
  LOG_PROBES: row(onOff().prefault('on'), 'on or off', '`off` omits requests for `/livez` and `/readyz` from the log'),
  RATE_LIMIT: row(
    z.union([z.literal('off').transform(() => undefined), parsedBy(parseAllowance)]).prefault('600/10s'),
    'a number of requests and a period of up to 24h, such as 600/10s, 100/1m, or 5000/1h; or off',
    'number of requests that a key can send in a period of up to `24h`, such as `100/1m` or `5000/1h`, or `off`; accounts can have their own limit',
  ),
  REQUEST_LOG: row(
    z.union([z.literal('off').transform(() => undefined), parsedBy(parseRetention)]).prefault('7d,1GB'),
    'days and a size of at least 1MB, such as 7d,1GB; or off',
    'how long requests made with a key are kept in the log for the dashboard, and the maximum size of the log, such as `30d,5GB`; `off` stops logging and deletes the log',
  ),
  ADMIN_EMAIL: row(
    z.string().optional(),
    '',
    'email address of the first administrator, who is created at startup if there is none (in a new account "My company" if there is no account); an alternative to the setup link, for example in containers',
  ),
  ADMIN_PASSWORD: row(
    z.string().optional(),
    '',
    'initial password, 8 to 128 characters, without control characters, and not a common one',
  ),
  ADMIN_PASSWORD_FILE: row(
    z.string().optional(),
    READABLE_FILE,
    'file that contains the password, instead of `ADMIN_PASSWORD`',
  ),
  SMTP_URL: row(
    z.url({ protocol: /^smtps?$/, hostname: /./ }).optional(),
    'a URL such as smtps://user:password@mail.example.com:465 (smtps or smtp)',
    'mail server for invitations and notices about disabled webhook endpoints, such as `smtps://user:password@mail.example.com:465`; requires `MAIL_FROM` and `PUBLIC_URL`; without a mail server, users send the links themselves',
  ),
  SMTP_URL_FILE: row(z.string().optional(), READABLE_FILE, 'file that contains the URL, instead of `SMTP_URL`'),
  MAIL_FROM: row(z.string().optional(), '', 'sender address of mail from the service, such as `listings@example.com`'),
  MAP_TILES_URL: row(
    parsedBy(parseTilesUrl).optional(),
    'a URL with {z}, {x}, and {y}, and optionally {s} and {r}, such as https://tiles.example.com/{z}/{x}/{y}.png',
    'map tile images for the dashboard, such as `https://tiles.example.com/{z}/{x}/{y}.png`; browsers load the images from this address; without a URL, maps show only the listings',
  ),
  MAP_ATTRIBUTION: row(
    z.string().max(ATTRIBUTION_LENGTH_MAX).optional(),
    `at most ${ATTRIBUTION_LENGTH_MAX} characters`,
    'credit for the map images, such as `© OpenStreetMap contributors https://www.openstreetmap.org/copyright`; a URL at the end makes the text before it a link',
  ),
  WORKERS: row(
    integer(1, WORKERS_MAX).or(z.literal('auto').transform(countCores)).optional(),
    `a number from 1 to ${WORKERS_MAX}, or auto`,
    'number of processes that serve the port, or `auto` for one per core; by default, a single process does everything',
  ),
  WEBHOOKS: row(
    onOff().prefault('on'),
    'on or off',
    '`off` to send no webhooks, for restored databases and staging copies; events wait for up to 30 days',
  ),
  WEBHOOK_ALLOW: row(
    parsedBy(parseNetworks).optional(),
    'addresses or networks such as 10.0.0.0/8, separated by commas',
    'non-public addresses and networks that webhooks can reach, including over `http:`, separated by commas, such as `10.0.0.0/8`',
  ),
  SECRETS_KEY_FILE: row(
    parsedBy(readKey).optional(),
    'the path of a file with 32 random bytes in base64 (create it with: openssl rand -base64 32)',
    'file with the key for encrypting webhook signing secrets in the database: 32 random bytes in base64, from `openssl rand -base64 32`; without it, the secrets are stored as plain text',
  ),
  BACKUP_SCHEDULE: row(
    parsedBy(parseSchedule).optional(),
    'hourly, daily with a time, or weekly with a day and a time, such as daily 02:30 or weekly sunday 02:30',
    'when the service backs up the SQLite database automatically, in local time: `hourly`, `daily 02:30`, or `weekly sunday 02:30`; requires `BACKUP_DIR`',
  ),
  BACKUP_DIR: row(
    z.string().transform(fromBase).optional(),
    '',
    'directory for scheduled backups, preferably on another disk or machine',
  ),
  BACKUP_KEEP: row(
    parsedBy(parseKeep).prefault('7 daily, 4 weekly'),
    'the number of hourly, daily, weekly, or monthly backups to keep, such as 7 daily, 4 weekly',
    'how many scheduled backups to keep: the newest of each of the last hours, days, weeks, or months, such as `24 hourly, 7 daily, 4 weekly, 12 monthly`',
  ),
  METRICS_ADDRESS: row(
    parsedBy(parseAddress).optional(),
    'an IP address and a port, such as 127.0.0.1:9464',
    'IP address and port for `/metrics` in Prometheus format, such as `127.0.0.1:9464`; there is no authentication, so allow only your monitoring system to connect',
  ),
  TRUSTED_PROXIES: row(
    parsedBy(parseNetworks).optional(),
    'addresses or networks such as 10.0.0.0/8, separated by commas',
    'addresses and networks, separated by commas, whose `X-Forwarded-For` is trusted, such as `127.0.0.1,10.0.0.0/8`',
  ),
});

type Settings = z.output<typeof SETTINGS>;

/**
 * Reads the settings. By default, it reads the environment and, for variables that are not set there, `.env`, whose
 * variables it adds to the environment. An empty environment variable selects the default, even if `.env` has a value.
 * @throws {ConfigError} for an invalid value, a missing setting that another one requires, or an unreadable file
 */
export function readConfig(env = Object.assign(process.env, readEnvironment(process.env))) {
  const settings = parseSettings(readSecrets(env));
  const databaseUrl = settings.DATABASE_URL ?? `file:${join(settings.DATA_DIR, 'listings.db')}`;
  return Object.freeze({
    given: describeSettings(env),
    host: settings.HOST,
    port: settings.PORT,
    databaseUrl,
    databasePool: {
      poolSize: settings.DATABASE_POOL_SIZE,
      statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT,
      preparesStatements: settings.DATABASE_PREPARED_STATEMENTS,
      isShared: (settings.WORKERS ?? 1) > 1,
    },
    publicUrl: settings.PUBLIC_URL,
    logLevel: settings.LOG_LEVEL,
    logsProbes: settings.LOG_PROBES,
    metricsAddress: readMetricsAddress(settings),
    trustedProxies: settings.TRUSTED_PROXIES,
    rateLimit: settings.RATE_LIMIT,
    sendsWebhooks: settings.WEBHOOKS,
    webhookAllow: settings.WEBHOOK_ALLOW,
    secretsKey: settings.SECRETS_KEY_FILE,
    requestLog: settings.REQUEST_LOG,
    dataDirectory: settings.DATA_DIR,
    backups: readBackups(settings, databaseUrl),
    mapTiles: readMapTiles(settings),
    firstAdministrator: readFirstAdministrator(settings),
    mail: readMail(settings),
    workers: settings.WORKERS,
  });
}

function parseSettings(env: Environment): Settings {
  const { data, error } = SETTINGS.safeParse(Object.fromEntries(Object.entries(env).filter(([, text]) => text !== '')));
  if (data !== undefined) return data;
  const name = String(error.issues[0]?.path[0]);
  const schema = new Map(Object.entries(SETTINGS.shape)).get(name);
  const given = SECRETS.includes(name) ? '' : `, not "${maskSetting(name, env[name] ?? '')}"`;
  throw new ConfigError(`${name} must be ${schema?.meta()?.form}${given}.`);
}

/** The settings that have a value, with secrets masked. */
function describeSettings(env: Environment): Record<string, string> {
  const given = withCredentials(env);
  const shown: Record<string, string> = {};
  for (const name of Object.keys(SETTINGS.shape)) {
    const text = given[name];
    if (text) shown[name] = maskSetting(name, text);
  }
  return shown;
}

function maskSetting(name: string, text: string): string {
  if (SECRETS.includes(name)) return name.endsWith('_URL') ? maskUrl(text) : MASK;
  // A URL of another setting, or one in the wrong variable, can have a password, too.
  const shown = withoutPassword(text);
  // Some providers of map tiles require a key in the query.
  return name === 'MAP_TILES_URL' ? maskQuery(shown) : shown;
}

function row<T extends z.ZodType>(schema: T, form: string, description: string, defaultsTo?: string) {
  return schema.meta({ form, description, defaultsTo });
}

function integer(min: number, max: number) {
  return z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));
}

function onOff() {
  return z.stringbool({ truthy: ['on'], falsy: ['off'], case: 'sensitive' });
}

function countCores(): number {
  return Math.min(availableParallelism(), WORKERS_MAX);
}

/** A schema for strings that `parse` transforms; a string is invalid if `parse` throws or returns undefined. */
function parsedBy<T>(parse: (text: string) => T | undefined) {
  return z.string().transform((text, { issues }): T => {
    try {
      const value = parse(text);
      if (value !== undefined) return value;
    } catch {}
    issues.push({ code: 'custom', input: text });
    return z.NEVER;
  });
}

/** Parses a URL like `DATABASE_URL`; the error names the option or variable `name`. @throws {ConfigError} */
export function parseDatabaseOption(name: string, text: string): string {
  const { data } = parsedBy(parseDatabaseUrl).safeParse(text);
  if (data !== undefined) return data;
  throw new ConfigError(`${name} must be ${DATABASE_FORM}.`);
}

function parseDatabaseUrl(text: string): string | undefined {
  if (/^postgres(?:ql)?:/.test(text)) return isServerUrl(text) ? text : undefined;
  if (text.startsWith('file://')) return `file:${fileURLToPath(text)}`;
  return /^file:./.test(text) ? `file:${fromBase(text.slice('file:'.length))}` : undefined;
}

/** Without this check, the driver would read a URL such as `postgres:/user:password@host/database` as a path. */
function isServerUrl(text: string): boolean {
  const { pathname, hash } = new URL(text);
  return /^\w+:\/\//.test(text) && /^\/[^/:@]+$/.test(pathname) && hash === '';
}

/** `{s}` is a subdomain, and `{r}` becomes `@2x` on high-resolution screens. */
const TILES_URL = /^https?:\/\/(\{s\}\.)?([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?\/([^{}\s]|\{[zxyr]\})*$/i;

function parseTilesUrl(text: string): string | undefined {
  return TILES_URL.test(text) && ['{z}', '{x}', '{y}'].every((part) => text.includes(part)) ? text : undefined;
}

function parseStatementTimeout(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})(ms|s)$/.exec(text) ?? [];
  const timeoutMs = Number(number) * (unit === 's' ? 1_000 : 1);
  return timeoutMs >= STATEMENT_TIMEOUT_MIN_MS && timeoutMs <= STATEMENT_TIMEOUT_MAX_MS ? timeoutMs : undefined;
}

function parseOrigin(text: string): string | undefined {
  const { protocol, origin, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined;
}

function readKey(path: string): Buffer | undefined {
  const text = readText(path).trim();
  const key = Buffer.from(text, 'base64');
  return /^[A-Za-z0-9+/]{43}=$/.test(text) && key.length === SECRETS_KEY_BYTES ? key : undefined;
}

/** Parses an allowance such as `600/10s` (600 requests in 10 seconds). The period is at most 24 hours. */
export function parseAllowance(text: string): { points: number; seconds: number } | undefined {
  const [, points, time, unit = ''] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  const seconds = Number(time) * (SECONDS_OF_UNIT[unit] ?? Number.NaN);
  return seconds <= RATE_LIMIT_SECONDS_MAX ? { points: Number(points), seconds } : undefined;
}

function parseAddress(text: string): { host: string; port: number } | undefined {
  const [, host = '', port] = /^\[?([0-9a-f.:]+)\]?:(\d{1,5})$/i.exec(text) ?? [];
  return isIP(host) !== 0 && Number(port) <= PORT_MAX ? { host, port: Number(port) } : undefined;
}

/** Parses a size such as `500MB`. */
export function parseBytes(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})(B|KB|MB|GB|TB)$/i.exec(text) ?? [];
  const bytes = Number(count) * (BYTES_OF_UNIT[unit.toUpperCase()] ?? Number.NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function parseRetention(text: string): { days: number; bytes: number } | undefined {
  const [, days, size = ''] = /^([1-9]\d{0,3})d,(\w+)$/.exec(text) ?? [];
  const bytes = parseBytes(size) ?? 0;
  return bytes >= LOG_BYTES_MIN ? { days: Number(days), bytes } : undefined;
}

function parseNetworks(text: string): BlockList {
  const list = new BlockList();
  for (const entry of text.split(',')) {
    const [address = '', bits] = entry.trim().split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits || NaN), family);
  }
  return list;
}

/** Mailed links use a configured address, because the address in a request could be forged. */
function readMail({ SMTP_URL: smtpUrl, MAIL_FROM: from, PUBLIC_URL: publicUrl }: Settings) {
  if (!smtpUrl && !from) return undefined;
  if (!smtpUrl)
    throw new ConfigError('MAIL_FROM requires SMTP_URL: set it to the URL of the mail server, or remove MAIL_FROM.');
  if (!from)
    throw new ConfigError('SMTP_URL requires MAIL_FROM, a sender address such as listings@example.com; set both.');
  if (publicUrl !== undefined) return { smtpUrl, from };
  throw new ConfigError(
    'SMTP_URL requires PUBLIC_URL: set it to a URL such as https://listings.example.com, without a path.',
  );
}

function readFirstAdministrator({ ADMIN_EMAIL: email, ADMIN_PASSWORD: password }: Settings) {
  if (email && password) return { email, password };
  if (email) throw new ConfigError('ADMIN_EMAIL requires ADMIN_PASSWORD or ADMIN_PASSWORD_FILE: set one of them.');
  if (password) throw new ConfigError('ADMIN_PASSWORD requires ADMIN_EMAIL: set it to an email address.');
  return undefined;
}

function readMetricsAddress({ METRICS_ADDRESS: address, HOST: host, PORT: port }: Settings) {
  if (address === undefined || address.port !== port || port === 0) return address;
  const hosts = [host === 'localhost' ? '127.0.0.1' : host, address.host];
  const isSame = hosts[0] === hosts[1] || hosts.includes('::') || (hosts.includes('0.0.0.0') && hosts.every(isIPv4));
  if (!isSame) return address;
  throw new ConfigError(`METRICS_ADDRESS must not be the address of the service, HOST ${host} and PORT ${port}.`);
}

interface BackupSettings {
  schedule: BackupSchedule;
  directory: string;
  keep: BackupKeep;
}

function readBackups(settings: Settings, databaseUrl: string): BackupSettings | undefined {
  const { BACKUP_SCHEDULE: schedule, BACKUP_DIR: directory, BACKUP_KEEP: keep } = settings;
  if (schedule === undefined && directory === undefined) return undefined;
  if (schedule === undefined)
    throw new ConfigError('BACKUP_DIR requires a BACKUP_SCHEDULE such as daily 02:30 or hourly; set both or neither.');
  if (directory === undefined)
    throw new ConfigError('BACKUP_SCHEDULE requires BACKUP_DIR: set it to a directory for the backups.');
  if (databaseUrl.startsWith('file:')) return { schedule, directory, keep };
  throw new ConfigError(
    'BACKUP_SCHEDULE is only for SQLite: remove it and BACKUP_DIR, and schedule pg_dump (docs/operating.md).',
  );
}

function readMapTiles({ MAP_TILES_URL: url, MAP_ATTRIBUTION: attribution = '' }: Settings) {
  if (url !== undefined) return { url, attribution };
  if (attribution === '') return undefined;
  throw new ConfigError('MAP_ATTRIBUTION requires MAP_TILES_URL: set it to the address of the images.');
}
