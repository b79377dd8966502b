import type { AnyOperation } from '../contract/operation.ts';

interface Tag {
  name: string;
  description: string;
}

/** What stands together in the reference, by the first part of the path. */
const TAGS: Record<string, Tag> = {
  listings: { name: 'Listings', description: 'Find, create, change and delete the listings of the account.' },
  imports: { name: 'Imports', description: 'Bring in many listings at once.' },
  events: { name: 'Events', description: 'Follow what changes, in order and without a gap.' },
  'api-keys': { name: 'API keys', description: 'Settings → API.' },
  account: { name: 'Account', description: 'Settings → Account.' },
  session: { name: 'Session', description: 'Who is signed in, and in which account.' },
  setup: { name: 'Setup', description: 'The first administrator.' },
  auth: { name: 'Sign-in', description: 'Signing in and out, and what people do with their own person.' },
  overview: { name: 'Overview', description: 'How the account is doing.' },
  activity: { name: 'Activity', description: 'Who did what, when, and from where.' },
  members: { name: 'Team', description: 'Settings → Team.' },
  invitations: { name: 'Invitations', description: 'Who is asked to join the team.' },
  me: { name: 'Key', description: 'The API key in use.' },
};

export function tagOf({ path }: AnyOperation): Tag {
  const tag = TAGS[path.split('/')[1] ?? ''];
  if (tag === undefined) throw new Error(`${path} belongs to no tag`);
  return tag;
}
