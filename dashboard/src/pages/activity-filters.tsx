import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../api/queries';
import { useListSearch } from '../lib/search';
import { DateFilter, SelectFilter } from '../parts/filters';
import type { ActivitySearch } from './activity-search';
import { ACTIONS } from './activity-texts';

/** The kinds of actions, with the prefixes of their actions' names. */
const KINDS = new Map<string, { label: string; beginnings: readonly string[] }>([
  ['listings', { label: 'Listings', beginnings: ['listing', 'import'] }],
  ['feeds', { label: 'Feeds', beginnings: ['feed'] }],
  ['webhooks', { label: 'Webhooks', beginnings: ['webhook'] }],
  ['keys', { label: 'API keys', beginnings: ['api_key'] }],
  ['team', { label: 'Team', beginnings: ['member', 'invitation'] }],
  ['account', { label: 'Account', beginnings: ['account'] }],
  ['people', { label: 'Sign-in and profile', beginnings: ['administrator'] }],
]);

const OTHER_ACTORS: Record<string, string> = { api_key: 'API keys', operator: 'Operator', service: 'Service' };

export function ActivityFilters({ search }: { search: ActivitySearch }) {
  const members = useQuery(membersQuery);
  const { bind } = useListSearch(search, 'cursor');
  const kinds = Object.fromEntries([...KINDS].map(([kind, { label }]) => [kind, label]));
  const names = Object.fromEntries((members.data?.data ?? []).map(({ id, name, email }) => [id, `${name} (${email})`]));
  return (
    <div className="filters">
      <SelectFilter label="Type" choices={{ '': 'All', ...kinds }} {...bind('kind')} />
      <SelectFilter label="User" choices={{ '': 'All', ...names, ...OTHER_ACTORS }} {...bind('user')} />
      <DateFilter label="From" {...bind('from')} />
      <DateFilter label="To" {...bind('to')} />
    </div>
  );
}

/** Converts the search to the API's query parameters. Unknown values are passed on to the API, which rejects them. */
export function toActivityQuery({ kind, user, from, to, cursor }: ActivitySearch) {
  const isOther = user !== undefined && Object.hasOwn(OTHER_ACTORS, user);
  return {
    action: kind && actionsOf(kind),
    actorType: isOther ? user : undefined,
    actorId: isOther ? undefined : user,
    'at[gte]': from && startOf(from, 0),
    'at[lt]': to && startOf(to, 1),
    cursor,
  };
}

function actionsOf(kind: string): string {
  const beginnings = KINDS.get(kind)?.beginnings;
  if (beginnings === undefined) return kind;
  return ACTIONS.filter((action) => beginnings.some((beginning) => action.startsWith(`${beginning}.`))).join();
}

/** Returns the first moment of the day that is `daysLater` days after `day`, or `day` itself if it is invalid. */
function startOf(day: string, daysLater: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date);
  const isDay = start.getFullYear() === year && start.getMonth() === month - 1 && start.getDate() === date;
  if (!isDay) return day;
  start.setDate(date + daysLater);
  return start.toISOString();
}
