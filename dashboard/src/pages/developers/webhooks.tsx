import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import type { Webhook } from '../../api/admin';
import { webhooksQuery } from '../../api/queries';
import { countColumn, textColumn, timeColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { TableList } from '../../parts/table-list';
import { WebhookDialog } from './webhook-dialog';
import { FailingWebhooks, WebhookState } from './webhook-state';

const REFETCH_MS = 5_000;

const COLUMNS: Column<Webhook>[] = [
  { label: 'Endpoint', sortBy: 'url', cell: (webhook) => <Endpoint webhook={webhook} /> },
  { label: 'Events', width: 180, from: 'wide', cell: ({ types }) => types?.join(', ') ?? 'All' },
  textColumn('Feed', 'feed', { from: 'large' }, 'All'),
  countColumn('Pending', 'pending'),
  timeColumn('Created', 'createdAt'),
  { label: 'State', width: 130, cell: (webhook) => <WebhookState webhook={webhook} /> },
];

export function WebhooksPage() {
  const query = useQuery({ ...webhooksQuery, refetchInterval: REFETCH_MS });
  const navigate = useNavigate();
  const [isCreating, creating] = useDisclosure();
  return (
    <Page
      title="Webhooks"
      description="Each change to a listing is sent to your endpoints, signed according to the Standard Webhooks specification."
      actions={
        <Button variant="filled" leftSection={<Plus size={16} />} onClick={creating.open}>
          Add endpoint
        </Button>
      }
    >
      <FailingWebhooks webhooks={query.data?.data ?? []} />
      <TableList
        label="Webhook endpoints"
        query={query}
        count={3}
        columns={COLUMNS}
        empty={
          <EmptyState icon={WebhookIcon} title="No endpoints yet">
            Add the URL of your app. It receives a request for each listing that is created, changed, or deleted.
          </EmptyState>
        }
      />
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
      <Link className="row-link" title={url} to="/developers/webhooks/$id" params={{ id }}>
        <bdi>{url}</bdi>
      </Link>
      {description !== null && (
        <Subline>
          <bdi>{description}</bdi>
        </Subline>
      )}
    </>
  );
}
