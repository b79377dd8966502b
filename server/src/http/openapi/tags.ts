import type { AnyOperation } from '../contract/operation.ts';

interface Tag {
  name: string;
  description: string;
}

/** The sections of the reference, by the first segment of the path. */
const TAGS: Record<string, Tag> = {
  listings: { name: 'Listings', description: "Find, create, change, and delete the account's listings." },
  imports: { name: 'Imports', description: 'Create and change many listings at once.' },
  feeds: { name: 'Feeds', description: 'Sources of listings that repeatedly send their complete file.' },
  events: { name: 'Events', description: 'Follow changes, in order and without gaps.' },
  webhooks: { name: 'Webhooks', description: "Receive the account's events as signed HTTP requests." },
  'api-keys': { name: 'API keys', description: "The account's API keys, as shown under Settings → API." },
  account: { name: 'Account', description: 'The account, as shown under Settings → Account.' },
  session: { name: 'Session', description: 'The signed-in user and their current account.' },
  setup: { name: 'Setup', description: 'The setup of the first administrator.' },
  auth: { name: 'Sign-in', description: 'Signing in and out, and your own profile.' },
  map: { name: 'Map', description: 'The number of listings by place.' },
  overview: { name: 'Overview', description: 'Counts of listings and requests.' },
  activity: { name: 'Activity', description: "The account's audit log." },
  requests: { name: 'Requests', description: "Requests made with the account's API keys." },
  views: { name: 'Saved views', description: 'The searches that you have named.' },
  members: { name: 'Team', description: "The account's members, as shown under Settings → Team." },
  invitations: { name: 'Invitations', description: 'Invitations to the team.' },
  me: { name: 'Key', description: "The request's API key." },
};

export function tagOf({ path }: AnyOperation): Tag {
  const tag = TAGS[path.split('/')[1] ?? ''];
  if (tag === undefined) throw new Error(`${path} has no tag`);
  return tag;
}
