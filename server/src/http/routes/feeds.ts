import type { AccountUnits } from '../../domain/feeds/feed-rows.ts';
import { planFeed, runFeed } from '../../domain/feeds/feed-runs.ts';
import {
  changeFeed,
  deleteFeed,
  getFeed,
  getRun,
  listFeeds,
  listRuns,
  type ShownFeed,
} from '../../domain/feeds/feeds.ts';
import { isObject, mergePatch } from '../../lib/merge-patch.ts';
import { formatTime } from '../../lib/times.ts';
import { AppError } from '../../model/errors.ts';
import { DEFAULT_SETTINGS, type FeedSettings } from '../../model/feeds.ts';
import type { StoredRun } from '../../storage/feed-runs.ts';
import {
  listRunErrorsOperation,
  listRunsOperation,
  RUNS_LIMIT_DEFAULT,
  retrieveRunOperation,
} from '../contract/operations/feed-runs.ts';
import {
  deleteFeedOperation,
  listFeedsOperation,
  retrieveFeedOperation,
  updateFeedOperation,
} from '../contract/operations/feeds.ts';
import { NO_IDEMPOTENCY_KEY, type PutFeedQuery, putFeedOperation } from '../contract/operations/put-feed.ts';
import { feedSettings } from '../contract/schemas/feeds.ts';
import { invalidFields } from '../contract/schemas/issues.ts';
import { feedName } from '../contract/schemas/listings.ts';
import { meaningKey } from '../contract/schemas/reading-parameters.ts';
import { wordKey } from '../contract/schemas/value-rules.ts';
import { endpoint } from '../endpoint.ts';
import { requireFullAccess } from '../gate/authenticate.ts';
import { FeedUpload } from '../imports/feed-rows.ts';
import type { ReadingRequest } from '../imports/reading.ts';
import { readUpload } from '../imports/upload.ts';
import { parseBody } from '../protocol/body.ts';
import { type Admitted, abortWhenLeft, withoutIdleTimeout } from '../protocol/exchange.ts';
import { readIdempotencyKey, readIdempotent, replayHeaders } from '../protocol/idempotency.ts';
import { checkInput } from '../protocol/input.ts';
import { bodyEncoding, bodyType } from '../protocol/negotiate.ts';
import { type Reply, replyJson } from '../protocol/reply.ts';
import { replyFailures } from './feed-errors.ts';

/** Maximum size of the runs on a page, in bytes; each run can have up to 100 failed rows. */
const RUNS_BYTES_MAX = 1024 * 1024;

export const feedEndpoints = [
  endpoint(listFeedsOperation, async ({ principal }, { services: { database } }) => {
    const feeds = await listFeeds(database, principal.accountId);
    return replyLong({ data: feeds.map(showFeed) });
  }),
  endpoint(retrieveFeedOperation, async ({ principal }, { parameters: { name = '' }, services: { database } }) =>
    replyLong(showFeed(await getFeed(database, principal.accountId, name))),
  ),
  endpoint(putFeedOperation, async (exchange, { parameters: { name = '' }, query, services }) => {
    const { uploadGate, readingThreads, database, release } = services;
    if (readIdempotencyKey(exchange.incoming) !== undefined)
      throw new AppError('invalid_idempotency_key', NO_IDEMPOTENCY_KEY);
    const actor = query.dryRun ? undefined : requireFullAccess(exchange.principal);
    requireName(name);
    return uploadGate.run(exchange, async (signal) => {
      using disposables = new DisposableStack();
      const source = new FeedUpload((settings, units, lastColumns) => {
        const options = { ...requestOf(exchange, settings, units, release), lastColumns };
        const file = disposables.use(readingThreads.open(exchange.principal.accountId, options));
        return { file, rows: file.readRows((stop) => readUpload(exchange, stop), signal) };
      });
      const parameters = parametersOf(query);
      const settle = (stored: FeedSettings) => patchSettings(stored, parameters);
      const request = { name, missing: query.missing, settle, planId: query.plan, source, signal };
      if (actor === undefined) {
        const plan = await planFeed(database, { ...request, actor: exchange.principal });
        return replyLong({ ...plan, ...source.warnings });
      }
      const run = await runFeed(database, { ...request, actor });
      if (run.sequenceTo !== null && run.sequenceTo !== run.sequenceFrom) exchange.sequence = run.sequenceTo;
      return replyLong({ ...showRun(run), ...source.warnings });
    });
  }),
  endpoint(updateFeedOperation, async (exchange, { parameters: { name = '' }, services: { database } }) => {
    const { bytes, idempotency } = await readIdempotent(exchange);
    const patch = parseBody(bytes);
    const principal = requireFullAccess(exchange.principal);
    const change = (settings: FeedSettings) => patchSettings(settings, patch);
    const { outcome, isReplayed } = await changeFeed(database, principal, idempotency, name, change);
    return replyLong(showFeed(outcome), replayHeaders(isReplayed));
  }),
  endpoint(deleteFeedOperation, async (exchange, { parameters: { name = '' }, query, services: { database } }) => {
    const { idempotency } = await readIdempotent(exchange);
    const principal = requireFullAccess(exchange.principal);
    const remove = () => deleteFeed(database, principal, idempotency, name, query.listings ?? 'keep');
    const { isReplayed, sequence } = await withoutIdleTimeout(exchange, remove);
    exchange.sequence = sequence;
    return { status: 204, headers: replayHeaders(isReplayed) };
  }),
  endpoint(listRunsOperation, async ({ principal }, { parameters: { name = '' }, query, services }) => {
    const { database, cursors } = services;
    const { accountId } = principal;
    const { limit = RUNS_LIMIT_DEFAULT, cursor } = query;
    const scope = `feed runs\n${accountId}\n${name}`;
    const before = cursor === undefined ? undefined : cursors.decode(cursor, scope);
    const { runs, isLast } = await listRuns(database, accountId, name, before, { limit, bytesMax: RUNS_BYTES_MAX });
    const last = runs.at(-1);
    const nextCursor = isLast || last === undefined ? null : cursors.encode(last.id, scope);
    return replyLong({ data: runs.map(showRun), nextCursor });
  }),
  endpoint(retrieveRunOperation, async ({ principal }, { parameters: { name = '', runId = '' }, services }) =>
    replyLong(showRun(await getRun(services.database, principal.accountId, name, runId))),
  ),
  endpoint(listRunErrorsOperation, async (exchange, { parameters: { name = '', runId = '' }, mediaType, services }) => {
    const { principal } = exchange;
    const { database } = services;
    const signal = abortWhenLeft(exchange);
    const run = await getRun(database, principal.accountId, name, runId);
    const { settings } = await getFeed(database, principal.accountId, name);
    return replyFailures(database, principal, run, { mediaType, mapped: Object.keys(settings.map), signal });
  }),
];

function replyLong(value: object, headers: Record<string, string> = {}): Reply {
  return { ...replyJson(200, JSON.stringify(value), headers), isCompressible: true };
}

/** @throws {AppError} `validation_failed` */
function patchSettings(settings: FeedSettings, patch: unknown): FeedSettings {
  // This call always throws, because the settings must be an object.
  if (!isObject(patch)) return checkInput(patch, feedSettings);
  const values = withoutRespelled(settings.values, patch.values);
  const stored = { ...settings, map: withoutTaken(settings.map, patch.map), values };
  const merged = mergePatch(stored, patch, () => true);
  const patched = checkInput({ ...DEFAULT_SETTINGS, ...Object(merged) }, feedSettings);
  if (JSON.stringify(patched).length > SETTINGS_LENGTH_MAX) throw tooLong();
  return patched;
}

/** The maximum length of a feed's settings as JSON, because a list contains the settings of up to 100 feeds. */
const SETTINGS_LENGTH_MAX = 32 * 1024;

function tooLong(): AppError {
  const message = `A feed's settings can have at most ${SETTINGS_LENGTH_MAX} characters as JSON; remove columns or words.`;
  return invalidFields([{ field: 'body', code: 'too_long', message }]);
}

/** Returns `map` without the columns whose field a patch gives to another column, such as a column with a new name. */
function withoutTaken(map: FeedSettings['map'], patch: unknown): FeedSettings['map'] {
  if (!isObject(patch)) return map;
  const taken = new Set(Object.values(patch).map((meant) => (typeof meant === 'string' ? meaningKey(meant) : '')));
  const kept = Object.entries(map).filter(([, meant]) => meant === '' || !taken.has(meaningKey(meant)));
  return Object.fromEntries(kept);
}

/** Returns `values` without the words that a patch contains in any spelling. */
function withoutRespelled(values: FeedSettings['values'], patch: unknown): FeedSettings['values'] {
  if (!isObject(patch)) return values;
  const given = new Set(Object.keys(patch).map(wordKey));
  return Object.fromEntries(Object.entries(values).filter(([key]) => !given.has(wordKey(key))));
}

/** Converts the parameters to a patch of the settings. */
function parametersOf({ dryRun, plan, ...query }: PutFeedQuery): Partial<FeedSettings> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name.replace(/\[.*/, ''), value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

function requestOf(
  { incoming: { headers } }: Admitted,
  settings: FeedSettings,
  { currency, areaUnits }: AccountUnits,
  release: string,
): ReadingRequest {
  const { map, values, defaults, clean, dates, decimal, ignoreUnknown } = settings;
  const units = { currency, areaUnits };
  return {
    mediaType: bodyType(headers),
    map: new Map(Object.entries(map)),
    values: new Map(Object.entries(values)),
    defaults: new Map(Object.entries(defaults)),
    ...{ clean, ignoreUnknown, dates: dates ?? undefined, decimal: decimal ?? undefined, mode: 'merge', units },
    hasAllDetails: true,
    isFeed: true,
    // Another release can read the same row differently.
    hashStart: JSON.stringify([release, map, values, defaults, clean, dates, decimal, ignoreUnknown, units]),
    isGzipped: bodyEncoding(headers) === 'gzip',
    bytesMax: undefined,
    fingerprintStart: undefined,
  };
}

/** @throws {AppError} `validation_failed` */
function requireName(name: string): void {
  const result = feedName.safeParse(name);
  if (result.success) return;
  const message = result.error.issues[0]?.message ?? '';
  throw new AppError('validation_failed', `The name of a feed ${message[0]?.toLowerCase()}${message.slice(1)}`, {
    details: [{ field: 'name', code: 'invalid_format', message }],
  });
}

function showFeed({ name, settings, listings, createdAt, lastRun, lastSuccessAt, lateSince }: ShownFeed) {
  return {
    name,
    ...settings,
    listings,
    createdAt: formatTime(createdAt),
    lastRun: lastRun ? showRun(lastRun) : null,
    lastSuccessAt: formatTime(lastSuccessAt),
    lastSuccessAgeSeconds: lastSuccessAt === null ? null : Math.floor(Math.max(0, Date.now() - lastSuccessAt) / 1000),
    isLate: lateSince !== null,
    lateSince: formatTime(lateSince),
  };
}

function showRun(run: StoredRun) {
  const { id, feed, startedAt, finishedAt, outcome, counts, sequenceFrom, sequenceTo, errors, error } = run;
  return {
    id,
    feed,
    startedAt: formatTime(startedAt),
    finishedAt: formatTime(finishedAt),
    outcome,
    ...counts,
    sequenceFrom,
    sequenceTo,
    errors: JSON.parse(errors),
    ...(error && { error }),
  };
}
