import type { Command } from 'commander';
import { runChecks } from './checks/checks.ts';
import { addCommand, type OutputOptions, print } from './command.ts';

const STATUS_LENGTH = 'warning'.length;

export function addCheck(program: Command): void {
  addCommand(
    program,
    'check',
    'check settings, files, database, clock, proxy, mail, and backups, before the start or while the service runs; changes nothing',
  ).action(async (options: OutputOptions) => {
    const checks = await runChecks();
    const ok = checks.every(({ status }) => status !== 'failed');
    const lines = checks.map(({ check, status, message }) => `${status.padEnd(STATUS_LENGTH)}  ${check}: ${message}`);
    print({ ok, checks }, options, lines);
    if (!ok) process.exitCode = 1;
  });
}
