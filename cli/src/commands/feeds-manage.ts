import { type Feed, type FeedPatch, type FeedRun, Feeds } from '@property-listings/client/feeds';
import { chooseFormat, parseCount, toGiven } from '../arguments.ts';
import type { Command } from '../command.ts';
import { type CurlOptions, type Service, withClient, withCurlOption } from '../connection.ts';
import type { CurlFiles } from '../curl.ts';
import { withFlags } from '../describe-error.ts';
import { CommandError } from '../exit-codes.ts';
import { take, toJsonArray } from '../listings.ts';
import { describeRow } from '../output/import-report.ts';
import { formatCount } from '../output/progress.ts';
import { type OutputOptions, type RecordOptions, withOutputOptions, writeRecord } from '../output/record.ts';
import { replaceFile } from '../output/replace-file.ts';
import { writeRows } from '../output/rows.ts';
import { note, write, writeAll } from '../output/standard-output.ts';
import { toLine } from '../output/terminal.ts';
import { toPatch, unsetOption } from '../patch.ts';
import { confirm, isInteractive } from '../questions.ts';
import { MEDIA_TYPES, readRaw } from '../raw-lists.ts';
import { type ReadingOptions, toReading, withReadingOptions } from '../upload-options.ts';

export const FEED_NAME = 'name of the feed, such as mls';
const MISSING = ['keep', 'withdraw', 'delete'] as const;

export interface FeedOptions extends ReadingOptions {
  missing?: (typeof MISSING)[number];
  missingMax?: string;
  failedMax?: string;
}

export function withFeedOptions(command: Command): Command {
  const modes = `what happens to listings that are missing from the file: ${MISSING.join(', ')}`;
  return withReadingOptions(command)
    .choice('--missing <mode>', modes, MISSING)
    .option('--missing-max <limit>', 'how many listings may be missing, such as 10% or 200')
    .option('--failed-max <limit>', 'how many rows may fail, such as 5% or 0');
}

export function toSettings({ missing, missingMax, failedMax, ...options }: FeedOptions) {
  return toGiven({ ...toReading(options), missing, missingMax, failedMax });
}

type Work = (feeds: Feeds, service: Service) => Promise<void>;

export function withFeeds(options: CurlOptions, work: Work, files?: CurlFiles): Promise<void> {
  return withClient(options, (_client, service) => work(new Feeds(service), service), files);
}

export function addFeedsManage(feeds: Command): void {
  const list = feeds.command('list').description('show all feeds, their last runs, and whether they are late');
  withOutputOptions(list).action((options: OutputOptions) =>
    withFeeds(options, async (feeds) => {
      const { data } = await feeds.list();
      const count = await writeRows(data, FEED_COLUMNS, options, toFeedRow);
      if (count === 0) note('There are no feeds yet. To create one, run "listings feeds push NAME FILE".');
    }),
  );
  addGet(feeds);
  addRuns(feeds);
  addErrors(feeds);
  addSet(feeds);
  addDelete(feeds);
}

const FEED_COLUMNS = ['name', 'listings', 'missing', 'outcome', 'lastSuccess', 'late'];

function toFeedRow({ lastRun, lastSuccessAt, isLate, ...feed }: Feed): object {
  return { ...feed, outcome: lastRun?.outcome, lastSuccess: toTime(lastSuccessAt), late: isLate ? 'late' : '' };
}

/** Formats a time. A terminal, where there is little room, shows it only to the minute. */
function toTime(time: string | null): string {
  return (process.stdout.isTTY ? time?.slice(0, 16).replace('T', ' ') : time) ?? '';
}

function addForOne(feeds: Command, name: string, description: string): Command {
  return feeds.command(name).description(description).argument('<name>', FEED_NAME);
}

function addRuns(feeds: Command): void {
  const runs = addForOne(feeds, 'runs', 'show the runs of the last 90 days, newest first');
  runs.option('--limit <count>', 'maximum number of runs (default: 20)', parseCount, 20);
  withOutputOptions(runs).action((name: string, options: OutputOptions & { limit: number }) =>
    withFeeds(options, async (feeds) => {
      const entries = take(feeds.runs(name, { limit: Math.min(options.limit, RUNS_PER_PAGE) }), options.limit);
      // A terminal does not have room for the IDs.
      const columns = [...COUNT_COLUMNS, ...(process.stdout.isTTY ? [] : ['id']), 'reason'];
      await writeRows(entries, columns, options, toRunRow);
    }),
  );
}

/** The service's maximum page size. */
const RUNS_PER_PAGE = 100;
const COUNT_COLUMNS = ['startedAt', 'outcome', 'rows', 'created', 'updated', 'removed', 'failed'];

function toRunRow({ startedAt, withdrawn, deleted, error, ...run }: FeedRun): object {
  return {
    ...run,
    startedAt: toTime(startedAt),
    removed: withdrawn + deleted,
    reason: error && withFlags(error.message),
  };
}

const ERROR_FORMATS = ['ndjson', 'csv'] as const;

type ErrorsOptions = OutputOptions & { run?: string; format?: (typeof ERROR_FORMATS)[number] };

function addErrors(feeds: Command): void {
  const description = 'show the failed rows of a run, or write them to a file with their original values';
  const errors = addForOne(feeds, 'errors', description)
    .argument('[file]', '.csv or .ndjson file, replaced only when the new one is complete; - for stdout')
    .option('--run <id>', 'ID of the run (run_…); default: the last run')
    .choice('--format <format>', `${ERROR_FORMATS.join(', ')}; default: determined by the file name`, ERROR_FORMATS);
  withOutputOptions(errors).action(
    async (name: string, given: string | undefined, options: ErrorsOptions, command: Command) => {
      const file = given === '-' ? undefined : given;
      const format = options.format ?? (given === undefined ? undefined : chooseFormat(ERROR_FORMATS, given, command));
      const work = async (feeds: Feeds, service: Service) => {
        const runId = options.run ?? (options.curl ? 'RUN_ID' : await lastRunOf(feeds, name));
        if (format === undefined) return writeErrors(feeds, name, runId, options);
        const path = `/feeds/${encodeURIComponent(name)}/runs/${encodeURIComponent(runId)}/errors`;
        const pieces = readRaw(service, MEDIA_TYPES[format], {}, path);
        await (file === undefined || options.curl ? writeAll(pieces) : replaceFile(file, pieces));
      };
      await withFeeds(options, work, { received: file });
    },
  );
}

async function lastRunOf(feeds: Feeds, name: string): Promise<string> {
  const { lastRun } = await feeds.retrieve(name);
  if (lastRun === null) throw new CommandError('The feed has no runs yet.');
  return lastRun.id;
}

async function writeErrors(feeds: Feeds, name: string, runId: string, { json }: RecordOptions): Promise<void> {
  const rows = feeds.errors(name, runId);
  if (json) return writeAll(toJsonArray(rows));
  for await (const row of rows) await write(`${describeRow(row, process.stdout)}\n`);
}

/** Settings that map keys to values. Each key can be unset individually. */
const KEYED = ['map', 'values', 'defaults'];
const READING_SETTINGS = [...KEYED, 'clean', 'dates', 'decimal', 'ignoreUnknown'];
const SETTINGS = [...READING_SETTINGS, 'missing', 'missingMax', 'failedMax', 'expectedEveryHours'];

type SetOptions = OutputOptions & FeedOptions & { expectedEveryHours?: number; unset?: string[] };

function addSet(feeds: Command): void {
  const set = addForOne(feeds, 'set', 'change the settings of a feed, which apply to its next files by default');
  const unsetting = 'reset a setting to its default, or remove one of its keys: map.COLUMN';
  withOutputOptions(withFeedOptions(set))
    .option(
      '--expected-every-hours <hours>',
      'the feed is late after this many hours without a successful run',
      parseCount,
    )
    .addOption(unsetOption(SETTINGS, '--unset <setting>', unsetting, KEYED))
    .details(`
Example:
  $ listings feeds set mls --map Price=listPrice --clean --dates mdy \\
      --missing withdraw --expected-every-hours 24`)
    .action((name: string, options: SetOptions, command: Command) => {
      const { expectedEveryHours, unset = [] } = options;
      const given = toGiven({ ...toSettings(options), expectedEveryHours });
      const patch: FeedPatch = toPatch(given, unset, '--clean', command);
      return withFeeds(options, async (feeds) => writeFeed(await feeds.update(name, patch), options));
    });
}

function writeFeed(feed: Feed, options: RecordOptions): Promise<void> {
  return writeRecord(feed, options, { ...feed, lastRun: feed.lastRun?.outcome });
}

function addGet(feeds: Command): void {
  const get = addForOne(feeds, 'get', 'show the settings of a feed, and whether it is late');
  withOutputOptions(get).action((name: string, options: OutputOptions) =>
    withFeeds(options, async (feeds) => writeFeed(await feeds.retrieve(name), options)),
  );
}

const LISTINGS = ['keep', 'delete'] as const;

type DeleteOptions = CurlOptions & { listings?: (typeof LISTINGS)[number]; yes?: true };

function addDelete(feeds: Command): void {
  const command = addForOne(feeds, 'delete', 'delete a feed and its runs')
    .choice('--listings <what>', `what happens to its listings: ${LISTINGS.join(', ')}`, LISTINGS)
    .option('--yes', 'skip the confirmation prompt, which appears only in a terminal');
  withCurlOption(command).action((name: string, options: DeleteOptions) =>
    withFeeds(options, async (feeds) => {
      const { listings = 'keep', yes, curl } = options;
      if (!yes && !curl && isInteractive()) {
        const feed = await feeds.retrieve(name);
        const what = `${listings === 'keep' ? 'keep ' : ''}its ${formatCount(feed.listings)} listing${feed.listings === 1 ? '' : 's'}`;
        await confirm(`Permanently delete the feed "${toLine(name)}" and ${what}?`, 'Nothing was deleted.');
      }
      await feeds.delete(name, { listings });
      note(`Deleted the feed ${toLine(name)}.`);
    }),
  );
}
