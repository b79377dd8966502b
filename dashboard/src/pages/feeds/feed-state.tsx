import type { Feed, FeedRun } from '../../api/types';
import { StateBadge } from '../../parts/state-badge';

export const OUTCOMES: Record<FeedRun['outcome'], string> = {
  running: 'Running',
  succeeded: 'OK',
  failed: 'Failed',
  stopped_by_guard: 'Stopped by guard',
  interrupted: 'Interrupted',
};

const COLORS: Record<FeedRun['outcome'], string> = {
  running: 'blue-6',
  succeeded: 'evergreen-5',
  failed: 'red-7',
  stopped_by_guard: 'yellow-6',
  interrupted: 'red-7',
};

export function FeedState({ feed: { isLate, lastRun } }: { feed: Feed }) {
  if (lastRun?.outcome === 'running') return <Outcome outcome="running" />;
  if (isLate) return <StateBadge label="Late" color="yellow-6" />;
  return lastRun === null ? <StateBadge label="No runs" color="gray-6" /> : <Outcome outcome={lastRun.outcome} />;
}

export function Outcome({ outcome }: { outcome: FeedRun['outcome'] }) {
  return <StateBadge label={OUTCOMES[outcome]} color={COLORS[outcome]} />;
}

const HOUR_MS = 3_600_000;

/** When the next run is expected; null if the feed has no schedule. */
export function nextExpected({ expectedEveryHours, lastSuccessAt, createdAt }: Feed): string | null {
  if (expectedEveryHours === null) return null;
  return new Date(new Date(lastSuccessAt ?? createdAt).getTime() + expectedEveryHours * HOUR_MS).toISOString();
}
