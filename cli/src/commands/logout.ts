import type { Command } from 'commander';
import { note } from '../output/standard-output.ts';
import { removeSettings } from '../settings.ts';

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('forget what "login" has stored; the key itself goes on working until it is deleted')
    .action(async () => {
      note((await removeSettings()) ? 'The stored key is forgotten.' : 'No key is stored.');
    });
}
