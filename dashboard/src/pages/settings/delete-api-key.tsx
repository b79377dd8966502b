import { Text } from '@mantine/core';
import type { ApiKey } from '../../api/types';
import { formatCount } from '../../lib/format';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Time } from '../../parts/time';

interface DeleteApiKeyProps {
  /** None when the dialog is closed. */
  apiKey: ApiKey | undefined;
  onClose: () => void;
  onDelete: (key: ApiKey) => Promise<void>;
}

/** Shows whether the key is still in use before it ends. */
export function DeleteApiKey({ apiKey, onClose, onDelete }: DeleteApiKeyProps) {
  if (apiKey === undefined) return null;
  return (
    <ConfirmDialog title="Delete this key?" action="Delete" isOpen onClose={onClose} onConfirm={() => onDelete(apiKey)}>
      <Usage apiKey={apiKey} />
    </ConfirmDialog>
  );
}

function Usage({ apiKey: { name, start, lastUsedAt, requests24h } }: { apiKey: ApiKey }) {
  return (
    <>
      <Text size="sm">
        Programs that use <bdi style={{ fontWeight: 600 }}>{name}</bdi> (<code>{start}…</code>) are refused from the
        next request on. This cannot be undone.
      </Text>
      <div className="secret" style={{ userSelect: 'auto', fontFamily: 'inherit' }}>
        {lastUsedAt === null ? 'Never used.' : <LastUse at={lastUsedAt} />}
        {'\n'}
        {requests24h === 0
          ? 'No requests in the last 24 hours.'
          : `${formatCount(requests24h, 'request')} in the last 24 hours.`}
      </div>
    </>
  );
}

function LastUse({ at }: { at: string }) {
  return (
    <>
      Last used <Time at={at} />.
    </>
  );
}
