import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey } from '../../api/admin';
import { request } from '../../api/client';
import { apiKeysQuery, refresh } from '../../api/queries';
import { formatCount } from '../../lib/format';
import { notify } from '../../lib/notify';
import { ConfirmDialog } from '../../parts/dialogs';
import { LoadedCard } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { LastUsed } from '../../parts/time';
import { ApiKeyTable } from './api-key-table';
import { GenerateApiKey } from './generate-api-key';

const REFETCH_MS = 10_000;
/** How often a key's usage is reloaded while the user decides whether to delete the key. */
const DECIDING_REFETCH_MS = 3_000;

export function ApiKeysPage() {
  const [deleting, setDeleting] = useState<ApiKey>();
  const refetchInterval = deleting === undefined ? REFETCH_MS : DECIDING_REFETCH_MS;
  const query = useQuery({ ...apiKeysQuery, refetchInterval });
  const { generate } = useSearch({ from: '/inside/settings/api' });
  const navigate = useNavigate();
  const [isGenerating, generating] = useDisclosure();
  const close = () => {
    generating.close();
    void navigate({ to: '/settings/api', search: {}, replace: true });
  };
  const askToDelete = (key: ApiKey) => {
    setDeleting(key);
    // The dialog shows whether the key is still used.
    void query.refetch();
  };
  const find = (key: ApiKey | undefined) => query.data?.data.find(({ id }) => id === key?.id);

  return (
    <Page
      title="API keys"
      description="An API key gives an app access to this account. Use one key per app, so you can revoke one without affecting the others."
      actions={
        <Button variant="filled" leftSection={<Plus size={16} />} onClick={generating.open}>
          Generate API Key
        </Button>
      }
    >
      <LoadedCard query={query} count={3}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={KeyRound} title="No API keys yet">
              Your apps need a key to read and change listings. Generate one and copy it into your app.
            </EmptyState>
          ) : (
            <ApiKeyTable keys={data} onDelete={askToDelete} />
          )
        }
      </LoadedCard>
      <GenerateApiKey isOpen={isGenerating || generate !== undefined} onClose={close} />
      <ConfirmDialog
        title="Delete this key?"
        action={find(deleting) && 'Delete'}
        subject={deleting}
        onClose={() => setDeleting(undefined)}
        onConfirm={deleteApiKey}
      >
        {(key) => <Usage name={key.name} apiKey={find(key)} />}
      </ConfirmDialog>
    </Page>
  );
}

function Usage({ name, apiKey }: { name: string; apiKey: ApiKey | undefined }) {
  if (apiKey === undefined) {
    return (
      <Text size="sm" role="status">
        <bdi style={{ fontWeight: 700 }}>{name}</bdi> has already been deleted.
      </Text>
    );
  }
  const { start, lastUsedAt, requests24h } = apiKey;
  return (
    <>
      <Text size="sm">
        Apps using <bdi style={{ fontWeight: 700 }}>{name}</bdi> (<code>{start}…</code>) will stop working immediately.
        This can’t be undone.
      </Text>
      <div className="secret" style={{ userSelect: 'auto', fontFamily: 'inherit' }}>
        <LastUsed at={lastUsedAt} isSentence />.{'\n'}
        {requests24h === 0 ? 'No requests' : formatCount(requests24h, 'request')} in the last 24 hours.
      </div>
    </>
  );
}

async function deleteApiKey({ id, name }: ApiKey): Promise<void> {
  await request('DELETE', `/admin/api-keys/${encodeURIComponent(id)}`);
  notify(`Key ${name} deleted.`);
  // Do not wait for the reload: the dialog, still open, would report that the key has already been deleted.
  void refresh(apiKeysQuery);
}
