import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client';
import { deliveriesQuery, refresh, webhookPath, webhooksQuery } from '../../api/queries';
import type { Delivery } from '../../api/types';
import { formatChoice, formatDuration, formatNumber } from '../../lib/format';
import { attempt, notify } from '../../lib/notify';
import { SelectFilter } from '../../parts/filters';
import { LoadedCard } from '../../parts/loaded';
import { NewestOlder } from '../../parts/newest-older';
import { EmptyState } from '../../parts/states';
import { actions, type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { ResponseDialog } from './response-dialog';

const LIMIT = '25';
const REFETCH_MS = 3_000;
const FROM = '/inside/developers/webhooks/$id';
const STATES = { '': 'All', pending: 'Pending', delivered: 'Delivered', failed: 'Failed', expired: 'Expired' };

export function Deliveries({ webhookId }: { webhookId: string }) {
  const { state, cursor } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/developers/webhooks/$id' });
  const query = useQuery({
    ...deliveriesQuery(webhookId, { limit: LIMIT, state, cursor }),
    refetchInterval: cursor === undefined && REFETCH_MS,
  });
  return (
    <>
      <div className="filters">
        <SelectFilter
          label="State"
          choices={STATES}
          value={state}
          onChange={(next) => void navigate({ search: next === undefined ? {} : { state: next }, replace: true })}
        />
      </div>
      <LoadedCard query={query} count={4}>
        {({ data, nextCursor }) =>
          data.length === 0 && cursor === undefined ? (
            <EmptyState icon={Send} title="No deliveries">
              {state === undefined
                ? 'The next change to a listing appears here. Send a test to check the endpoint now.'
                : 'No delivery is in this state.'}
            </EmptyState>
          ) : (
            <>
              <DeliveryTable webhookId={webhookId} deliveries={data} />
              <NewestOlder
                cursor={cursor}
                next={nextCursor}
                onOpen={(next) => void navigate({ search: { ...(state && { state }), ...(next && { cursor: next }) } })}
              />
            </>
          )
        }
      </LoadedCard>
    </>
  );
}

function DeliveryTable({ webhookId, deliveries }: { webhookId: string; deliveries: Delivery[] }) {
  const [shown, setShown] = useState<Delivery>();
  const columns: Column<Delivery>[] = [
    {
      label: 'Event',
      className: 'wide',
      cell: (delivery) => (
        <UnstyledButton className="quiet-link" fz="sm" onClick={() => setShown(delivery)}>
          {nameOf(delivery)}
        </UnstyledButton>
      ),
    },
    { label: 'State', className: 'nowrap', cell: (delivery) => <State delivery={delivery} /> },
    { label: 'Attempts', className: 'number from-medium', cell: ({ attempts }) => attempts },
    { label: 'Status', className: 'from-medium', cell: ({ status }) => status },
    {
      label: 'Duration',
      className: 'number from-large',
      cell: ({ durationMs }) => durationMs !== null && formatDuration(durationMs),
    },
    {
      label: 'Last attempt',
      className: 'nowrap from-medium',
      cell: ({ lastAttemptAt }) => lastAttemptAt && <Time at={lastAttemptAt} />,
    },
    actions((delivery) => (
      <Button
        size="compact-sm"
        variant="default"
        disabled={delivery.state === 'expired'}
        onClick={() => redeliver(webhookId, delivery)}
      >
        Redeliver<span className="visually-hidden"> event {delivery.sequence}</span>
      </Button>
    )),
  ];
  return (
    <>
      <Table label="Deliveries" columns={columns} rows={deliveries} />
      <ResponseDialog
        title={shown ? nameOf(shown) : ''}
        attempt={shown && (deliveries.find(({ id }) => id === shown.id) ?? shown)}
        onClose={() => setShown(undefined)}
      />
    </>
  );
}

function nameOf({ type, sequence, lastSequence }: Delivery): string {
  if (type === null) return `Events ${formatNumber(sequence)} to ${formatNumber(lastSequence)}`;
  return `${type} (event ${formatNumber(sequence)})`;
}

function State({ delivery: { state, nextAttemptAt } }: { delivery: Delivery }) {
  return (
    <Group gap={0} display="block">
      {formatChoice(state)}
      {nextAttemptAt !== null && (
        <Text size="xs" c="dimmed" component="div">
          next attempt <Time at={nextAttemptAt} />
        </Text>
      )}
    </Group>
  );
}

async function redeliver(webhookId: string, { id, sequence }: Delivery): Promise<void> {
  await attempt('The event could not be sent again', async () => {
    await request('POST', `${webhookPath(webhookId)}/deliveries/${encodeURIComponent(id)}/redeliver`);
    notify(`Event ${formatNumber(sequence)} is being sent again.`);
  });
  await refresh(webhooksQuery);
}
