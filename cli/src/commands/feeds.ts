import { stat } from 'node:fs/promises';
import type { FeedPlan, FeedRun, Feeds, FeedOptions as SentOptions } from '@property-listings/client/feeds';
import type { Command } from '../command.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { ImportFile } from '../import-file.ts';
import { describeGuard, writePlan } from '../output/feed-plan.ts';
import { writeReport } from '../output/import-report.ts';
import { formatCount, ProgressLine } from '../output/progress.ts';
import { type OutputOptions, withOutputOptions } from '../output/record.ts';
import { confirm, isInteractive } from '../questions.ts';
import { toFormat, type UploadOptions, withUpload } from '../upload-options.ts';
import { addFeedsManage, FEED_NAME, type FeedOptions, toSettings, withFeedOptions, withFeeds } from './feeds-manage.ts';

type PushOptions = OutputOptions & UploadOptions & FeedOptions & { dryRun?: true; yes?: true; save?: true };

export function addFeeds(program: Command): void {
  const feeds = program
    .command('feeds')
    .description('send complete files from a source, such as an MLS, and see what they changed')
    .helpCommand(false);
  addPush(feeds);
  addFeedsManage(feeds);
}

function addPush(feeds: Command): void {
  const command = feeds
    .command('push')
    .description("make a feed's listings match a file, after showing what would change")
    .argument('<name>', `${FEED_NAME}; the first file creates it`);
  withOutputOptions(withFeedOptions(withUpload(command)))
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--yes', 'apply the file without asking; the guard can still stop the run')
    .option('--save', "if the run succeeds, store the reading options and --missing as the feed's settings")
    .details(`
The file is compared with the listings of the feed before anything is changed.
A row creates a listing or changes the listing with its "externalId". Fields
without a column in the file stay as they are; an empty cell removes the field.
Options override the settings of the feed, and --map, --value, and --default add
to them. --save stores the options, except for the limits --missing-max and
--failed-max, which apply only to this file; to store limits, use "listings
feeds set".

In a terminal, the command shows what would change and asks. In a script, use
--yes: if too many listings are missing from the file, too many rows fail, or the
file is empty or cut short, the guard stops the run before anything is changed,
and the exit code is 3. This code also means that too many rows failed later; the
message then says how many listings were changed.

Examples:
  $ listings feeds push mls listings.csv --map Price=listPrice --clean --dry-run
  $ listings feeds push mls listings.csv --missing withdraw --save
  $ zcat listings.csv.gz | listings feeds push mls - --format csv --yes`)
    .action(async (name: string, file: string, options: PushOptions, self: Command) => {
      const format = toFormat(file, options, self);
      const settings = toSettings(options);
      await requireAnswer(file, options, self);
      const upload = { name, file, sent: { format, ...settings } };
      const work = async (feeds: Feeds) => {
        await push(feeds, upload, options);
        // Limits on the command line apply only to this file, so they are not saved.
        const { missingMax, failedMax, ...saved } = settings;
        if (options.save && !options.dryRun) await feeds.update(name, saved);
      };
      await withFeeds(options, work, { sent: file });
    });
}

/** Fails if the command must ask but cannot: with no terminal, with `--json`, or if the file can be read only once. */
async function requireAnswer(file: string, { dryRun, yes, curl, json }: PushOptions, command: Command): Promise<void> {
  if (dryRun || yes || curl) return;
  const how = 'Add --yes to apply the file unless the guard stops the run, or --dry-run to see what would change.';
  if (json) command.usageError(`With --json, the command cannot ask for confirmation. ${how}`);
  if (!isInteractive()) command.usageError(`Without a terminal, the command cannot ask for confirmation. ${how}`);
  const found = file === '-' ? undefined : await stat(file).catch(() => undefined);
  const isPipe = file === '-' || found?.isFile() === false;
  if (isPipe) command.usageError(`The file is read twice, so it cannot be a pipe. ${how}`);
}

interface Upload {
  name: string;
  file: string;
  sent: SentOptions;
}

async function push(feeds: Feeds, upload: Upload, options: PushOptions): Promise<void> {
  const { dryRun, yes, curl } = options;
  const plan = dryRun || !(yes || curl) ? await makePlan(feeds, upload, options) : undefined;
  if (dryRun) return;
  if (plan !== undefined && countChanges(plan) > 0) {
    await confirm(`Apply these changes to the feed "${upload.name}"?`, 'Nothing was changed.');
  }
  await apply(feeds, upload, plan, options);
}

/** @throws {CommandError} if the guard would stop the run */
async function makePlan(feeds: Feeds, { name, file, sent }: Upload, options: PushOptions): Promise<FeedPlan> {
  const plan = await new ImportFile(file, 'Comparing').send(
    (rows, headers) => feeds.plan(name, rows, { ...sent, headers }),
    options,
    'Nothing was changed.',
  );
  await writePlan(plan, options);
  if (plan.guard.length > 0) throw new CommandError(describeGuard(plan), EXIT.guard);
  return plan;
}

function countChanges({ created, updated, withdrawn, deleted }: FeedPlan | FeedRun): number {
  return created + updated + withdrawn + deleted;
}

/** Applies the file. Without a plan, the service's guard decides whether the run may continue. */
async function apply(feeds: Feeds, { name, file, sent }: Upload, plan: FeedPlan | undefined, options: PushOptions) {
  const stopWatching = watchRun(feeds, name, plan && countChanges(plan));
  const sending = new ImportFile(file, APPLYING).send(
    (rows, headers) => feeds.put(name, rows, { ...sent, plan: plan?.planId, headers }),
    options,
    'To complete the changes, send the file again.',
  );
  const run: FeedRun = await sending.finally(stopWatching);
  await writeReport(run, options, `To see all of them: listings feeds errors ${name}`);
}

const APPLYING = 'Applying';
const WATCH_INTERVAL_MS = 1_000;

/** Shows in a terminal how many changes are written. Writing begins once the service has received the whole file. */
function watchRun(feeds: Feeds, name: string, total: number | undefined): () => void {
  const progress = new ProgressLine(APPLYING);
  let isOver = !process.stderr.isTTY;
  const look = async () => {
    const { lastRun } = await feeds.retrieve(name);
    const done = lastRun?.outcome === 'running' ? countChanges(lastRun) : 0;
    if (!isOver && done > 0) progress.show({ done, total, format: formatCount });
  };
  // Ignore errors: the feed may not exist before its first file, and a missing progress line must not fail the run.
  const timer = setInterval(() => isOver || look().catch(() => {}), WATCH_INTERVAL_MS);
  return () => {
    isOver = true;
    clearInterval(timer);
    progress.clear();
  };
}
