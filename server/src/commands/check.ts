import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { runChecks } from './checks/checks.ts';
import { isReady } from './checks/network.ts';
import { addCommand, type OutputOptions, print } from './command.ts';

const STATUS_LENGTH = 'warning'.length;

export function addCheck(program: Command): void {
  addCommand(
    program,
    'check',
    'check settings, files, database, clock, proxy, mail, and backups, before the service starts or while it runs; ' +
      'does not change anything',
  )
    .option('--ready', 'only check that the service runs here and is ready, for health checks of containers')
    .action(async (options: OutputOptions & { ready?: true }) => {
      if (options.ready) return await checkReady(options);
      const checks = await runChecks();
      const ok = checks.every(({ status }) => status !== 'failed');
      const lines = checks.map(({ check, status, message }) => `${status.padEnd(STATUS_LENGTH)}  ${check}: ${message}`);
      print({ ok, checks }, options, lines);
      if (!ok) process.exitCode = 1;
    });
}

async function checkReady(options: OutputOptions): Promise<void> {
  const ready = await isReady(readConfig());
  print({ ready }, options, [ready ? 'ready' : 'not ready']);
  if (!ready) process.exitCode = 1;
}
