import { Badge } from '@mantine/core';
import type { Feed, FeedRun } from '../../api/types';

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
  if (isLate) return <State label="Late" color="yellow-6" />;
  return lastRun === null ? <State label="No runs" color="gray-6" /> : <Outcome outcome={lastRun.outcome} />;
}

export function Outcome({ outcome }: { outcome: FeedRun['outcome'] }) {
  return <State label={OUTCOMES[outcome]} color={COLORS[outcome]} />;
}

function State({ label, color }: { label: string; color: string }) {
  return (
    <Badge variant="default" size="sm" tt="none" miw="max-content">
      <span className="status-dot in-text" style={{ background: `var(--mantine-color-${color})` }} aria-hidden />
      {label}
    </Badge>
  );
}

const HOUR_MS = 3_600_000;

/** When the next run is expected; null if the feed has no schedule. */
export function nextExpected({ expectedEveryHours, lastSuccessAt, createdAt }: Feed): string | null {
  if (expectedEveryHours === null) return null;
  return new Date(new Date(lastSuccessAt ?? createdAt).getTime() + expectedEveryHours * HOUR_MS).toISOString();
}
