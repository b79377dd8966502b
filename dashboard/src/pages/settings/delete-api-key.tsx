import { Text } from '@mantine/core';
import { useRef } from 'react';
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
  // While the dialog fades it still shows what it was about.
  const last = useRef(apiKey);
  last.current = apiKey ?? last.current;
  const shown = last.current;
  return (
    <ConfirmDialog
      title="Delete this key?"
      action="Delete"
      isOpen={apiKey !== undefined}
      onClose={onClose}
      onConfirm={async () => {
        if (shown !== undefined) await onDelete(shown);
      }}
    >
      {shown !== undefined && <Usage apiKey={shown} />}
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
