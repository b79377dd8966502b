import type { Command } from 'commander';
import { work } from '../runtime/workers/work.ts';

export function addWorker(program: Command): void {
  program.command('worker', { hidden: true }).description('serve for a `serve` with WORKERS').action(work);
}
