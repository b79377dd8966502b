import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { FeedRun } from '../../api/admin';
import { send } from '../../api/client';
import { feedPath, runQuery } from '../../api/queries';
import { formatDuration, formatExact, formatNumber } from '../../lib/format';
import { attempt } from '../../lib/notify';
import { saveFile } from '../../lib/save-file';
import { Facts } from '../../parts/facts';
import { Note } from '../../parts/form';
import { BackTo } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { FailedRows } from '../listings/failed-rows';
import { OUTCOMES, Outcome } from './feed-state';
import { RunCounts } from './plan';

const REFETCH_MS = 1_000;

export function FeedRunPage() {
  const { name, runId } = useParams({ from: '/inside/feeds/$name/runs/$runId' });
  const query = useQuery({
    ...runQuery(name, runId),
    refetchInterval: ({ state }) => state.data?.outcome === 'running' && REFETCH_MS,
  });
  const { data } = query;
  const back = (
    <BackTo to="/feeds/$name" params={{ name }}>
      {name}
    </BackTo>
  );
  if (data === undefined) return <NotLoadedPage title="Run" above={back} query={query} />;
  return (
    <Page title={`Run of ${name}`} above={back}>
      <Run run={data} />
    </Page>
  );
}

function Run({ run }: { run: FeedRun }) {
  const { outcome, startedAt, finishedAt, sequenceFrom, sequenceTo, error, errors, failed } = run;
  const durationMs = finishedAt && new Date(finishedAt).getTime() - new Date(startedAt).getTime();
  const hasChanges = sequenceFrom !== null && sequenceTo !== null && sequenceTo > sequenceFrom;
  return (
    <Stack>
      {error && (
        <Note color={outcome === 'stopped_by_guard' ? 'yellow' : 'red'} title={OUTCOMES[outcome].label}>
          {error.message}
        </Note>
      )}
      <RunCounts counts={run} label="Result" />
      <Facts
        facts={{
          Outcome: <Outcome outcome={outcome} />,
          Started: formatExact(startedAt),
          Duration: durationMs !== null && formatDuration(Number(durationMs)),
          Events: hasChanges && `${formatNumber(sequenceFrom + 1)} to ${formatNumber(sequenceTo)}`,
        }}
      />
      <FailedRows
        errors={errors}
        count={failed}
        actions={
          <Button size="xs" leftSection={<Download size={14} />} onClick={() => download(run)}>
            Download as CSV
          </Button>
        }
      />
    </Stack>
  );
}

async function download({ feed, id }: FeedRun): Promise<void> {
  await attempt('The rows could not be downloaded', async () => {
    const headers = { Accept: 'text/csv' };
    const response = await send('GET', `${feedPath(feed)}/runs/${encodeURIComponent(id)}/errors`, { headers });
    saveFile(await response.blob(), `${feed}-failed-rows.csv`);
  });
}
