import type { Feed, FeedRun } from '../../api/admin';
import { StateBadge } from '../../parts/state-badge';

export const OUTCOMES: Record<FeedRun['outcome'], { label: string; color: string }> = {
  running: { label: 'Running', color: 'blue-6' },
  succeeded: { label: 'OK', color: 'evergreen-5' },
  failed: { label: 'Failed', color: 'red-7' },
  stopped_by_guard: { label: 'Stopped by guard', color: 'yellow-6' },
  interrupted: { label: 'Interrupted', color: 'red-7' },
};

export function FeedState({ feed: { isLate, lastRun } }: { feed: Feed }) {
  if (lastRun?.outcome === 'running') return <Outcome outcome="running" />;
  if (isLate) return <StateBadge label="Late" color="yellow-6" />;
  return lastRun === null ? <StateBadge label="No runs" color="gray-6" /> : <Outcome outcome={lastRun.outcome} />;
}

export function Outcome({ outcome }: { outcome: FeedRun['outcome'] }) {
  return <StateBadge {...OUTCOMES[outcome]} />;
}

const HOUR_MS = 3_600_000;

/** When the next run is expected; null if the feed has no schedule. */
export function nextExpected({ expectedEveryHours, lastSuccessAt, createdAt }: Feed): string | null {
  if (expectedEveryHours === null) return null;
  return new Date(new Date(lastSuccessAt ?? createdAt).getTime() + expectedEveryHours * HOUR_MS).toISOString();
}
