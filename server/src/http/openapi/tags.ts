import type { AnyOperation } from '../contract/operation.ts';

interface Tag {
  name: string;
  description: string;
}

/** The sections of the reference, by the first segment of the path. */
const TAGS: Record<string, Tag> = {
  listings: { name: 'Listings', description: 'Find, create, change, and delete the listings of the account.' },
  imports: { name: 'Imports', description: 'Create and change many listings at once.' },
  feeds: { name: 'Feeds', description: 'Sources of listings whose whole files are sent again and again.' },
  events: { name: 'Events', description: 'Follow changes, in order and without gaps.' },
  webhooks: { name: 'Webhooks', description: 'Receive the events of the account as signed HTTP requests.' },
  'api-keys': { name: 'API keys', description: 'The API keys of the account, as under Settings → API.' },
  account: { name: 'Account', description: 'The account, as under Settings → Account.' },
  session: { name: 'Session', description: 'The signed-in user and their current account.' },
  setup: { name: 'Setup', description: 'The setup of the first administrator.' },
  auth: { name: 'Sign-in', description: 'Signing in and out, and your own profile.' },
  map: { name: 'Map', description: 'Listings counted by place.' },
  overview: { name: 'Overview', description: 'Counts of listings and requests.' },
  activity: { name: 'Activity', description: 'The audit log of the account.' },
  requests: { name: 'Requests', description: 'The requests with API keys of the account.' },
  views: { name: 'Saved views', description: 'The searches that you have named.' },
  members: { name: 'Team', description: 'The members of the account, as under Settings → Team.' },
  invitations: { name: 'Invitations', description: 'Invitations to the team.' },
  me: { name: 'Key', description: 'The API key of the request.' },
};

export function tagOf({ path }: AnyOperation): Tag {
  const tag = TAGS[path.split('/')[1] ?? ''];
  if (tag === undefined) throw new Error(`${path} has no tag`);
  return tag;
}
