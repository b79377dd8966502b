import { type Config, readConfig } from '../../config.ts';
import { ConfigError } from '../../environment.ts';
import { checkBackups } from './backups.ts';
import { checkDatabase } from './database.ts';
import { checkFiles, checkRoom } from './files.ts';
import { type Check, type Finding, findingsOf, messageOf } from './finding.ts';
import { checkMail, checkPublicUrl, checkService } from './network.ts';
import { checkSettings } from './settings.ts';

const CHECKS: Record<string, Check> = {
  settings: checkSettings,
  files: checkFiles,
  room: checkRoom,
  database: checkDatabase,
  service: checkService,
  'public URL': checkPublicUrl,
  mail: checkMail,
  backups: checkBackups,
};

/** Runs all checks. If a setting is invalid, that is the only finding. */
export async function runChecks(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (error instanceof ConfigError) return [findingsOf('settings').failed(error.message)];
    throw error;
  }
  const findings: Finding[] = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      findings.push(...(await check(config)));
    } catch (error) {
      findings.push(findingsOf(name).failed(messageOf(error)));
    }
  }
  return findings;
}
