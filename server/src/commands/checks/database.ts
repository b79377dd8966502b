import type { Config } from '../../config.ts';
import { requireFirstAdministrator } from '../../runtime/preparation.ts';
import { hasUnfinishedEpoch } from '../../storage/database-info.ts';
import { inspectDatabase } from '../../storage/inspect.ts';
import type { Inspection } from '../../storage/inspection.ts';
import { SCHEMA_VERSION, tooNew } from '../../storage/migrations.ts';
import { type Finding, findingsOf, formatDuration } from './finding.ts';

const { ok, warning, failed } = findingsOf('database');
const clock = findingsOf('clock');
/** Synchronized clocks differ by less than this. */
const CLOCK_DIFFERENCE_MAX_MS = 5_000;
const SYNCHRONIZE = 'synchronize the clock with NTP (timedatectl set-ntp true)';

/** @throws {ConfigError} if the first start would fail to create the first administrator */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const inspection = await inspectDatabase(config.databaseUrl, { withTables: false });
  const { schemaVersion = 0, content } = inspection ?? {};
  if (schemaVersion === 0 || content?.newestMs === 0) requireFirstAdministrator(config);
  if (inspection === undefined) return [warning('there is no database yet; the first start creates it')];
  return [checkSchema(inspection), ...checkClock(inspection)];
}

function checkSchema({ name, engineVersion, schemaVersion, content }: Inspection): Finding {
  if (schemaVersion === 0) return warning(`${name} has no tables yet; the first start creates them`);
  if (schemaVersion > SCHEMA_VERSION) return failed(tooNew(name, schemaVersion).message);
  if (content === undefined) {
    const versions = `from version ${schemaVersion} to ${SCHEMA_VERSION}`;
    return warning(`the next start migrates the tables of ${name} ${versions}; make a backup first`);
  }
  if (hasUnfinishedEpoch(content)) return failed(`${name} is an unfinished copy; run the same "copy" command again`);
  return ok(`${name} can be read and has the tables of this release (version ${schemaVersion}, ${engineVersion})`);
}

function checkClock({ content, serverTimeMs }: Inspection): Finding[] {
  const nowMs = Date.now();
  const newestMs = content?.newestMs ?? 0;
  if (newestMs > nowMs + CLOCK_DIFFERENCE_MAX_MS) {
    const behind = formatDuration(newestMs - nowMs);
    return [clock.failed(`this clock is ${behind} behind the newest time in the database; ${SYNCHRONIZE}`)];
  }
  const difference = Math.abs((serverTimeMs ?? nowMs) - nowMs);
  if (difference > CLOCK_DIFFERENCE_MAX_MS)
    return [
      clock.warning(`this clock differs from the database server's by ${formatDuration(difference)}; ${SYNCHRONIZE}`),
    ];
  return [clock.ok(`${new Date(nowMs).toISOString()}, which is not before the newest time in the database`)];
}
