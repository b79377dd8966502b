import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook, WebhookTest } from '../../api/admin';
import { request } from '../../api/client';
import { refresh, webhookPath, webhookQuery, webhooksQuery } from '../../api/queries';
import { formatExact, formatNumber } from '../../lib/format';
import { attempt, notify } from '../../lib/notify';
import { Facts } from '../../parts/facts';
import { BackTo } from '../../parts/links';
import { NotLoadedPage } from '../../parts/loaded';
import { Page, Section } from '../../parts/page';
import { Deliveries } from './deliveries';
import { ResponseDialog } from './response-dialog';
import { WebhookMenu } from './webhook-menu';
import { FailingWebhooks, WebhookState } from './webhook-state';

const REFETCH_MS = 3_000;
const BACK = <BackTo to="/developers/webhooks">Webhooks</BackTo>;

export function WebhookPage() {
  const { id } = useParams({ from: '/inside/developers/webhooks/$id' });
  const query = useQuery({ ...webhookQuery(id), refetchInterval: REFETCH_MS });
  const { data } = query;
  if (data !== undefined) return <Endpoint webhook={data} />;
  return <NotLoadedPage title="Endpoint" above={BACK} query={query} />;
}

function Endpoint({ webhook }: { webhook: Webhook }) {
  const { id, url, description } = webhook;
  const [result, setResult] = useState<WebhookTest>();
  const [isTesting, setTesting] = useState(false);
  const test = async () => {
    setTesting(true);
    await attempt('The sample could not be sent', async () =>
      setResult(await request<WebhookTest>('POST', `${webhookPath(id)}/test`)),
    );
    setTesting(false);
  };
  return (
    <Page
      title={url}
      description={description}
      above={BACK}
      actions={
        <>
          <Button loading={isTesting} onClick={test}>
            Send test
          </Button>
          {!webhook.enabled && (
            <Button variant="filled" onClick={() => setEnabled(webhook, true)}>
              Enable
            </Button>
          )}
          <WebhookMenu webhook={webhook} onDisable={() => setEnabled(webhook, false)} />
        </>
      }
    >
      <Stack gap="xl">
        <FailingWebhooks webhooks={[webhook]} />
        <Facts facts={factsOf(webhook)} />
        <Section
          title="Deliveries"
          description="All pending deliveries, and up to 1,000 in every other state from the last 30 days."
        >
          <Deliveries webhookId={id} />
        </Section>
      </Stack>
      <ResponseDialog
        title={result?.delivered === true ? 'Test delivered' : 'Test failed'}
        attempt={result}
        onClose={() => setResult(undefined)}
      />
    </Page>
  );
}

function factsOf(webhook: Webhook) {
  const { types, feed, position, pending, failingSince, oldSecretExpiresAt, createdAt } = webhook;
  return {
    State: <WebhookState webhook={webhook} />,
    Events: types?.join(', ') ?? 'All',
    Feed: feed ?? 'All listings',
    Position: `Event ${formatNumber(position)}`,
    Pending: formatNumber(pending),
    'Failing since': failingSince && formatExact(failingSince),
    'Previous secret': oldSecretExpiresAt && `Also used until ${formatExact(oldSecretExpiresAt)}`,
    Created: formatExact(createdAt),
  };
}

async function setEnabled({ id }: Webhook, enabled: boolean): Promise<void> {
  await attempt('The endpoint could not be changed', async () => {
    await request('PATCH', webhookPath(id), { body: { enabled } });
    notify(enabled ? 'Endpoint enabled. Pending and later events are sent.' : 'Endpoint disabled.');
  });
  await refresh(webhooksQuery);
}
