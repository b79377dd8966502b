import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { webhooksQuery } from '../../api/queries';
import type { Webhook } from '../../api/types';
import { formatNumber } from '../../lib/format';
import { LoadedCard } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { type Column, Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { WebhookDialog } from './webhook-dialog';
import { FailingWebhooks, WebhookState } from './webhook-state';

const REFETCH_MS = 5_000;

const COLUMNS: Column<Webhook>[] = [
  { label: 'Endpoint', className: 'wide', cell: (webhook) => <Endpoint webhook={webhook} /> },
  { label: 'Events', className: 'from-large', cell: ({ types }) => types?.join(', ') ?? 'All' },
  { label: 'Feed', className: 'from-large', cell: ({ feed }) => feed ?? 'All' },
  { label: 'Pending', className: 'number from-medium', cell: ({ pending }) => formatNumber(pending) },
  { label: 'Created', className: 'nowrap from-medium', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: 'State', className: 'nowrap', cell: (webhook) => <WebhookState webhook={webhook} /> },
];

export function WebhooksPage() {
  const query = useQuery({ ...webhooksQuery, refetchInterval: REFETCH_MS });
  const navigate = useNavigate();
  const [isCreating, creating] = useDisclosure();
  return (
    <Page
      title="Webhooks"
      description="Each change to a listing is sent to your endpoints, signed as in Standard Webhooks."
      actions={
        <Button leftSection={<Plus size={16} />} onClick={creating.open}>
          Add endpoint
        </Button>
      }
    >
      <FailingWebhooks webhooks={query.data?.data ?? []} />
      <LoadedCard query={query} count={3}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={WebhookIcon} title="No endpoints yet">
              Add the URL of your app. It gets a request for each listing that is created, changed, or deleted.
            </EmptyState>
          ) : (
            <Table label="Webhook endpoints" columns={COLUMNS} rows={data} />
          )
        }
      </LoadedCard>
      <WebhookDialog
        isOpen={isCreating}
        onClose={creating.close}
        onCreated={({ id }) => void navigate({ to: '/developers/webhooks/$id', params: { id } })}
      />
    </Page>
  );
}

function Endpoint({ webhook: { id, url, description } }: { webhook: Webhook }) {
  return (
    <>
      <Link className="quiet-link" to="/developers/webhooks/$id" params={{ id }}>
        <bdi>{url}</bdi>
      </Link>
      {description !== null && (
        <Text size="xs" c="dimmed" component="div">
          <bdi>{description}</bdi>
        </Text>
      )}
    </>
  );
}
