import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/client';
import { apiKeysQuery, queryClient } from '../../api/queries';
import type { ApiKey } from '../../api/types';
import { tell } from '../../lib/notes';
import { LoadedCard } from '../../parts/loaded';
import { Page } from '../../parts/page';
import { EmptyState } from '../../parts/states';
import { ApiKeyTable } from './api-key-table';
import { DeleteApiKey } from './delete-api-key';
import { GenerateApiKey } from './generate-api-key';

const REFETCH_MS = 10_000;
/** Whoever is about to delete a key sees whether it is in use now. */
const DECIDING_REFETCH_MS = 3_000;

export function ApiKeysPage() {
  const [doomed, setDoomed] = useState<ApiKey>();
  const refetchInterval = doomed === undefined ? REFETCH_MS : DECIDING_REFETCH_MS;
  const query = useQuery({ ...apiKeysQuery, refetchInterval });
  const [isGenerating, generating] = useDisclosure();

  return (
    <Page
      title="API keys"
      description="A key lets one of your programs work with this account. Give each program its own, so that one can be replaced without the others noticing."
      actions={
        <Button leftSection={<Plus size={16} />} onClick={generating.open}>
          Generate API Key
        </Button>
      }
    >
      <LoadedCard query={query} count={3}>
        {({ data }) => (data.length === 0 ? <NoKeys /> : <ApiKeyTable keys={data} onDelete={setDoomed} />)}
      </LoadedCard>
      <GenerateApiKey isOpen={isGenerating} onClose={generating.close} />
      {doomed !== undefined && (
        <DeleteApiKey
          doomed={doomed}
          keys={query.data?.data ?? []}
          onClose={() => setDoomed(undefined)}
          onDelete={() => deleteApiKey(doomed)}
        />
      )}
    </Page>
  );
}

function NoKeys() {
  return (
    <EmptyState icon={<KeyRound size={22} />} title="No keys yet">
      Your programs need one to read and write. It takes a moment: give it a name and copy it.
    </EmptyState>
  );
}

async function deleteApiKey({ id, name }: ApiKey): Promise<void> {
  await request('DELETE', `/admin/api-keys/${encodeURIComponent(id)}`);
  tell(`The key ${name} was deleted.`);
  // Not waited for: the dialog would say that the key is gone before it closes.
  void queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
}
