import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { membersQuery } from '../api/queries';
import { bindSearch } from '../lib/search';
import { DateFilter, SelectFilter } from '../parts/filters';
import type { ActivitySearch } from './activity-search';
import { ACTIONS } from './activity-texts';

const KINDS: Record<string, string> = {
  listings: 'Listings',
  feeds: 'Feeds',
  webhooks: 'Webhooks',
  keys: 'API keys',
  team: 'Team',
  account: 'Account',
  people: 'Sign-in and profile',
};

/** What the names of actions begin with. */
const BEGINNINGS: Record<string, readonly string[]> = {
  listings: ['listing', 'import'],
  feeds: ['feed'],
  webhooks: ['webhook'],
  keys: ['api_key'],
  team: ['member', 'invitation'],
  account: ['account'],
  people: ['administrator'],
};

const OTHER_ACTORS: Record<string, string> = { api_key: 'API keys', operator: 'Operator', service: 'Service' };

export function ActivityFilters({ search }: { search: ActivitySearch }) {
  const navigate = useNavigate();
  const members = useQuery(membersQuery);
  const bind = bindSearch({ ...search, cursor: undefined }, (next) =>
    navigate({ to: '/activity', search: next, replace: true }),
  );
  const names = Object.fromEntries((members.data?.data ?? []).map(({ id, name, email }) => [id, `${name} (${email})`]));
  return (
    <div className="filters">
      <SelectFilter label="Type" choices={{ '': 'All', ...KINDS }} {...bind('kind')} />
      <SelectFilter label="User" choices={{ '': 'All', ...names, ...OTHER_ACTORS }} {...bind('user')} />
      <DateFilter label="From" {...bind('from')} />
      <DateFilter label="To" {...bind('to')} />
    </div>
  );
}

/** The API's query parameters. */
export function toActivityQuery({ kind = '', user, from, to, cursor }: ActivitySearch) {
  const actions = ACTIONS.filter((action) => BEGINNINGS[kind]?.includes(action.split('.')[0] ?? ''));
  const isOther = user !== undefined && OTHER_ACTORS[user] !== undefined;
  return {
    action: actions.length > 0 ? actions.join() : undefined,
    actorType: isOther ? user : undefined,
    actorId: isOther ? undefined : user,
    'at[gte]': startOf(from, 0),
    'at[lt]': startOf(to, 1),
    cursor,
  };
}

/** The first moment of a day some days later; undefined if it is not a date. */
function startOf(day: string | undefined, daysLater: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  if (year === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString();
}
