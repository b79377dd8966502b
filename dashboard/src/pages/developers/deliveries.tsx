import { Button, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { WebhookDelivery } from '../../api/admin';
import { request } from '../../api/client';
import { deliveriesQuery, refresh, webhookPath, webhooksQuery } from '../../api/queries';
import { formatChoice, formatDuration, formatNumber } from '../../lib/format';
import { attempt, notify } from '../../lib/notify';
import { useListSearch } from '../../lib/search';
import { countColumn, timeColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { SelectFilter } from '../../parts/filters';
import { EmptyState } from '../../parts/states';
import { TableList } from '../../parts/table-list';
import { Time } from '../../parts/time';
import { ResponseDialog } from './response-dialog';

const LIMIT = '25';
const REFETCH_MS = 3_000;
const STATES = { '': 'All', pending: 'Pending', delivered: 'Delivered', failed: 'Failed', expired: 'Expired' };

const COLUMNS: Column<WebhookDelivery>[] = [
  { label: 'State', width: 150, cell: (delivery) => <State delivery={delivery} /> },
  countColumn('Attempts', 'attempts'),
  { label: 'Status', width: 84, from: 'medium', cell: ({ status }) => status },
  {
    label: 'Duration',
    width: 100,
    from: 'large',
    isNumber: true,
    cell: ({ durationMs }) => durationMs !== null && formatDuration(durationMs),
  },
  timeColumn('Last attempt', 'lastAttemptAt', { from: 'large' }),
];

export function Deliveries({ webhookId }: { webhookId: string }) {
  const search = useSearch({ from: '/inside/developers/webhooks/$id' });
  const { state, cursor } = search;
  const { bind, onPage } = useListSearch(search, 'cursor');
  const [shown, setShown] = useState<WebhookDelivery>();
  const query = useQuery({
    ...deliveriesQuery(webhookId, { limit: LIMIT, state, cursor }),
    refetchInterval: cursor === undefined && REFETCH_MS,
  });
  const event: Column<WebhookDelivery> = {
    label: 'Event',
    cell: (delivery) => (
      <UnstyledButton className="row-link" fz="sm" onClick={() => setShown(delivery)}>
        {nameOf(delivery)}
      </UnstyledButton>
    ),
  };
  return (
    <>
      <div className="filters">
        <SelectFilter label="State" choices={STATES} {...bind('state')} />
      </div>
      <TableList
        label="Deliveries"
        query={query}
        count={4}
        columns={[event, ...COLUMNS]}
        actionsWidth={112}
        actions={(delivery) => (
          <Button
            size="compact-sm"
            disabled={delivery.state === 'expired'}
            onClick={() => redeliver(webhookId, delivery)}
          >
            Redeliver<span className="visually-hidden"> event {delivery.sequence}</span>
          </Button>
        )}
        cursor={cursor}
        onPage={onPage}
        empty={
          <EmptyState icon={Send} title="No deliveries">
            {state === undefined
              ? 'Events that are sent to this endpoint appear here. To check the endpoint now, send a test.'
              : 'No delivery is in this state.'}
          </EmptyState>
        }
      />
      <ResponseDialog
        title={shown ? nameOf(shown) : ''}
        attempt={shown && (query.data?.data.find(({ id }) => id === shown.id) ?? shown)}
        sequence={shown?.state === 'expired' ? undefined : shown?.sequence}
        onClose={() => setShown(undefined)}
      />
    </>
  );
}

function nameOf({ type, sequence, lastSequence }: WebhookDelivery): string {
  if (type === null) return `Events ${formatNumber(sequence)} to ${formatNumber(lastSequence)}`;
  return `${type} (event ${formatNumber(sequence)})`;
}

function State({ delivery: { state, nextAttemptAt } }: { delivery: WebhookDelivery }) {
  return (
    <>
      {formatChoice(state)}
      {nextAttemptAt !== null && (
        <Subline>
          next attempt <Time at={nextAttemptAt} />
        </Subline>
      )}
    </>
  );
}

async function redeliver(webhookId: string, { id, sequence }: WebhookDelivery): Promise<void> {
  await attempt('The event could not be sent again', async () => {
    await request('POST', `${webhookPath(webhookId)}/deliveries/${encodeURIComponent(id)}/redeliver`);
    notify(`Event ${formatNumber(sequence)} is being sent again.`);
  });
  await refresh(webhooksQuery);
}
