import { mkdtemp, rm } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { pino } from 'pino';
import type { Config } from '../../server/src/config.ts';
import { createAccount } from '../../server/src/domain/accounts/accounts.ts';
import { issueApiKey } from '../../server/src/domain/keys/api-keys.ts';
import type { ServerLimits } from '../../server/src/http/protocol/server.ts';
import type { Access } from '../../server/src/model/api-keys.ts';
import { type Service, startService } from '../../server/src/runtime/service.ts';
import { createDatabase, type Engine, type TestDatabase } from './database.ts';

export interface Tenant {
  accountId: string;
  keyId: string;
  /** The API key itself. */
  key: string;
}

export interface TestService extends Service, Pick<TestDatabase, 'sql' | 'script' | 'accountKey'> {
  directory: string;
  logLines: string[];
  createTenant(name?: string, access?: Access): Promise<Tenant>;
  createKey(accountId: string, access?: Access, expiresAt?: number | null): Promise<Tenant>;
  fetch(tenant: Tenant, path: string, init?: RequestInit): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The options of a test's service. By default, there is no rate limit and no request log. */
type TestOptions = ServerLimits &
  Partial<
    Pick<
      Config,
      | 'rateLimit'
      | 'requestLog'
      | 'sendsWebhooks'
      | 'webhookAllow'
      | 'secretsKey'
      | 'trustedProxies'
      | 'publicUrl'
      | 'firstAdministrator'
      | 'mail'
      | 'mapTiles'
    >
  > & {
    engine?: Engine;
    /** A database to use instead of a new one. */
    database?: TestDatabase;
    databasePool?: Partial<Config['databasePool']>;
  };

/** The addresses of this machine, on which tests receive webhooks. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);

/** Retries, because workers whose first process was killed may write to the directory until they end. */
export const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

export async function createDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'property-listings-'));
}

/** Starts one service for all tests of a file. It stops after the last test. */
export async function startSharedService(options?: TestOptions): Promise<TestService> {
  const service = await startTestService(options);
  after(() => service[Symbol.asyncDispose]());
  return service;
}

/** Starts a service in this process. `await using` stops it and removes the database. */
export async function startTestService(options: TestOptions = {}): Promise<TestService> {
  const directory = await createDirectory();
  const made = options.database ?? (await createDatabase(directory, options.engine));
  const { url: databaseUrl, sql, script, accountKey, drop } = made;
  const logLines: string[] = [];
  const writeLine = (line: string) => void logLines.push(line);
  const log = { logger: pino({ level: 'info' }, { write: writeLine }), writeLine };
  const config: Config = {
    given: {},
    host: '127.0.0.1',
    port: 0,
    databaseUrl,
    databasePool: {
      poolSize: 10,
      statementTimeoutMs: 2_500,
      preparesStatements: true,
      isShared: false,
      ...options.databasePool,
    },
    publicUrl: options.publicUrl,
    logLevel: 'info',
    logsProbes: true,
    trustedProxies: options.trustedProxies,
    rateLimit: options.rateLimit,
    requestLog: options.requestLog,
    sendsWebhooks: options.sendsWebhooks ?? true,
    webhookAllow: options.webhookAllow ?? LOOPBACK,
    secretsKey: options.secretsKey,
    dataDirectory: directory,
    firstAdministrator: options.firstAdministrator,
    mail: options.mail,
    mapTiles: options.mapTiles,
    backups: undefined,
    metricsAddress: undefined,
    workers: undefined,
  };
  const service = await startService(config, log, options);
  let stopped: Promise<void> | undefined;
  const stop: Service['stop'] = (how) => {
    stopped ??= service.stop(how);
    return stopped;
  };
  const createKey: TestService['createKey'] = async (accountId, access = 'full', expiresAt = null) => {
    const request = { accountId, name: 'Website', access, expiresAt, createdBy: null };
    const { key, secret } = await issueApiKey(service.database, request);
    return { accountId, keyId: key.id, key: secret };
  };
  return {
    ...service,
    stop,
    directory,
    sql,
    script,
    accountKey,
    logLines,
    createKey,
    async createTenant(name = 'Hill Country Homes', access) {
      return createKey((await createAccount(service.database, name)).id, access);
    },
    fetch(tenant, path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set('Authorization', `Bearer ${tenant.key}`);
      return fetch(`${service.url}${path}`, { ...init, headers });
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await drop();
      await rm(directory, REMOVAL);
    },
  };
}
