import { Text } from '@mantine/core';
import type { ApiKey } from '../../api/types';
import { formatCount } from '../../lib/format';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Time } from '../../parts/time';

interface DeleteApiKeyProps {
  /** As it was when somebody chose it. */
  doomed: ApiKey;
  /** Those there are by now. */
  keys: ApiKey[];
  onClose: () => void;
  onDelete: () => Promise<void>;
}

/** Shows whether the key is still in use before it ends. */
export function DeleteApiKey({ doomed, keys, onClose, onDelete }: DeleteApiKeyProps) {
  const apiKey = keys.find(({ id }) => id === doomed.id);
  return (
    <ConfirmDialog
      title="Delete this key?"
      action="Delete"
      isOpen
      isMoot={apiKey === undefined}
      onClose={onClose}
      onConfirm={onDelete}
    >
      {apiKey === undefined ? <Gone name={doomed.name} /> : <Usage apiKey={apiKey} />}
    </ConfirmDialog>
  );
}

function Gone({ name }: { name: string }) {
  return (
    <Text size="sm" role="status">
      <bdi style={{ fontWeight: 600 }}>{name}</bdi> is gone: it was deleted elsewhere meanwhile.
    </Text>
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
