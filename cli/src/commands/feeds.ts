import type { Command } from '../command.ts';
import { addFeedsManage } from './feeds-manage.ts';
import { addFeedsPush } from './feeds-push.ts';

export function addFeeds(program: Command): void {
  const feeds = program
    .command('feeds')
    .description('send complete files from a source, such as an MLS, and see what they changed')
    .helpCommand(false);
  addFeedsPush(feeds);
  addFeedsManage(feeds);
}
