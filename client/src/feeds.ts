import type { Call } from './call.ts';
import { type PageOptions, readLines, readPages } from './complete-list.ts';
import { PATCH_TYPE, toJson, toSegment } from './encode.ts';
import { ApiError } from './errors.ts';
import { type ImportFileOptions, type ImportSource, toImportFile } from './import-files.ts';
import type { components, operations } from './openapi.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { CLASSES } from './replies.ts';
import { type MakeBody, Transport } from './transport.ts';

type Schemas = components['schemas'];

export type Feed = Schemas['Feed'];
export type FeedList = Schemas['FeedList'];
/** Settings to change; `null` restores the default of a setting. */
export type FeedPatch = Schemas['FeedPatch'];
export type FeedRun = Schemas['FeedRun'];
export type FeedPlan = Schemas['FeedPlan'];
/** A row that failed, with its original values under the names that the file uses. */
export type FailedRow = Schemas['StoredFailedRow'];

/** The counts of a plan (the file's rows, and the changes that the file would make), and its warnings. */
export type FeedCounts = Omit<FeedPlan, 'feed' | 'planId' | 'guard' | 'examples'>;
export type GuardReason = Schemas['GuardReason'];

/**
 * The guard stopped the run, or the changes no longer match the plan that was sent. Nothing was changed, unless
 * the message says otherwise.
 */
export class FeedGuardError extends ApiError<'feed_guard'> {
  declare readonly members: {
    runId: string;
    /** Empty if the plan is stale. */
    reasons: GuardReason[];
    /** What the file would have changed. */
    plan: FeedCounts;
    /** Pass it as `plan` to allow exactly these changes, unless the file is empty or cut short. */
    planId: string;
    /** Only if the plan is stale: what the plan that was sent would have changed. */
    expected?: FeedCounts;
  };

  /** Whether the changes no longer match the plan that was sent. */
  get isPlanStale(): boolean {
    return this.members.expected !== undefined;
  }
}

/** A run or the deletion of the feed is already in progress; `members.runId` is its ID. */
export class FeedBusyError extends ApiError<'feed_busy'> {
  declare readonly members: { runId: string };
}

Object.assign(CLASSES, { FeedGuardError, FeedBusyError });

// Bundlers shorten class names, but error names appear in messages.
FeedGuardError.prototype.name = 'FeedGuardError';
FeedBusyError.prototype.name = 'FeedBusyError';

type Parameters = NonNullable<operations['putFeed']['parameters']['query']>;
type Given<T> = { [Name in keyof T]?: T[Name] | undefined };

/** How this run reads the file, and what it allows the file to change. The defaults are the feed's settings. */
export interface FeedPlanOptions
  extends CallOptions,
    Pick<ImportFileOptions, 'format'>,
    Given<Omit<Parameters, 'dryRun' | 'plan'>> {
  /** Receives the number of bytes sent so far. A retry starts again at 0. Not called in a browser page. */
  onProgress?: ((bytes: number) => void) | undefined;
}

export interface FeedOptions extends FeedPlanOptions, Given<Pick<Parameters, 'plan'>> {}

/** Manages feeds, and sends their complete files. */
export class Feeds {
  readonly #transport: Transport;

  /** @throws {ConfigurationError} if the key or the base URL is malformed */
  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
  }

  /**
   * Makes the feed's listings match the file; `missing` determines what happens to listings that are not in the
   * file. The first file creates the feed. A row changes only the fields that it has; `null` or an empty cell
   * removes a field. If the call is interrupted, send the file again to complete the changes.
   * @throws {FeedGuardError} if the guard stops the run, or if the changes no longer match `plan`
   * @throws {FeedBusyError} if a run or the deletion of the feed is in progress
   */
  put(name: string, source: ImportSource, options: FeedOptions = {}): Call<FeedRun> {
    return this.#send(name, source, options);
  }

  /**
   * Returns what `put` would do, and changes nothing. To apply exactly this plan, pass the same file, the same
   * options, and the `planId` to `put`.
   */
  plan(name: string, source: ImportSource, options: FeedPlanOptions = {}): Call<FeedPlan> {
    return this.#send(name, source, options, true);
  }

  /** Lists all feeds, sorted by name. */
  list(options?: CallOptions): Call<FeedList> {
    return this.#transport.call({ method: 'GET', path: '/feeds' }, options);
  }

  /**
   * Retrieves a feed with its settings, its last run, and whether it is late.
   * @throws {NotFoundError} if there is no such feed
   */
  retrieve(name: string, options?: CallOptions): Call<Feed> {
    return this.#transport.call({ method: 'GET', path: pathOf(name) }, options);
  }

  /**
   * Changes the settings for later files. @throws {NotFoundError} if there is no such feed; the first file creates it
   */
  update(name: string, patch: FeedPatch, options?: CallOptions): Call<Feed> {
    return this.#transport.call(
      { method: 'PATCH', path: pathOf(name), headers: PATCH_TYPE, body: toJson(patch) },
      options,
    );
  }

  /**
   * Deletes a feed and its runs. By default, its listings are kept and no longer belong to a feed; with
   * `listings: 'delete'`, they are deleted, too.
   */
  delete(
    name: string,
    { listings, ...options }: CallOptions & { listings?: 'keep' | 'delete' | undefined } = {},
  ): Call<void> {
    return this.#transport.callWithoutBody({ method: 'DELETE', path: pathOf(name), query: { listings } }, options);
  }

  /** Streams the runs of the last 90 days, newest first. */
  runs(name: string, options: PageOptions = {}): AsyncGenerator<FeedRun, void> {
    return readPages(this.#transport, runsOf(name), options);
  }

  /** Retrieves a run, even one that is in progress. */
  run(name: string, runId: string, options?: CallOptions): Call<FeedRun> {
    return this.#transport.call({ method: 'GET', path: `${runsOf(name)}/${toSegment(runId)}` }, options);
  }

  /** Streams the stored failed rows of a run, in file order. @throws {ConnectionError} if the response is incomplete */
  async *errors(name: string, runId: string, options: CallOptions = {}): AsyncGenerator<FailedRow, void> {
    const path = `${runsOf(name)}/${toSegment(runId)}/errors`;
    for await (const rows of readLines<FailedRow>(this.#transport, path, {}, options)) yield* rows;
  }

  #send<T extends object>(name: string, source: ImportSource, options: FeedOptions, dryRun?: true): Call<T> {
    const { format, onProgress, map, values, defaults, clean, dates, decimal, ignoreUnknown, ...judging } = options;
    const { missing, missingMax, failedMax, plan, ...others } = judging;
    const file = toImportFile(source, { format, dryRun });
    const body = file.body && { body: withProgress(file.body, onProgress) };
    const reading = { map, values, defaults, clean, dates, decimal, ignoreUnknown };
    const query = { ...reading, missing, missingMax, failedMax, plan, dryRun };
    const operation = { method: 'PUT', path: pathOf(name), query, waitMs: RUN_MS, ...file, ...body } as const;
    return this.#transport.call(operation, others);
  }
}

/** The service responds only after a run has written all changes, which takes minutes for a million rows. */
const RUN_MS = 30 * 60 * 1000;

function pathOf(name: string): string {
  return `/feeds/${toSegment(name)}`;
}

function runsOf(name: string): string {
  return `${pathOf(name)}/runs`;
}

function withProgress(make: MakeBody, onProgress: FeedOptions['onProgress']): MakeBody {
  if (onProgress === undefined) return make;
  return async (watch) => {
    const made = await make(watch);
    // Browsers send the file as a whole, so there is no stream to count.
    if (!(made.body instanceof ReadableStream)) return made;
    let sent = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        sent += chunk.length;
        onProgress(sent);
        controller.enqueue(chunk);
      },
    });
    return { ...made, body: made.body.pipeThrough(counter) };
  };
}
