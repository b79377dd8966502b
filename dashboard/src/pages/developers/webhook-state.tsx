import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import type { Webhook } from '../../api/types';
import { StateBadge } from '../../parts/state-badge';
import { Time } from '../../parts/time';

export function WebhookState({ webhook: { enabled, failingSince } }: { webhook: Webhook }) {
  const [label, color] = stateOf(enabled, failingSince);
  return <StateBadge label={label} color={color} />;
}

function stateOf(enabled: boolean, failingSince: string | null): [label: string, color: string] {
  if (!enabled) return ['Disabled', 'gray-6'];
  return failingSince === null ? ['Enabled', 'evergreen-5'] : ['Failing', 'red-7'];
}

/** A banner about endpoints that the service has disabled. */
export function DisabledWebhooks({ webhooks }: { webhooks: Webhook[] }) {
  const disabled = webhooks.filter(({ enabled, disabledAt }) => !enabled && disabledAt !== null);
  if (disabled.length === 0) return null;
  return (
    <Alert color="red" variant="light" icon={<CircleAlert size={18} />} mb="md" title="Endpoints were disabled">
      {disabled.map(({ id, url, disabledAt }) => (
        <div key={id}>
          <Link className="quiet-link" to="/developers/webhooks/$id" params={{ id }}>
            <bdi>{url}</bdi>
          </Link>{' '}
          failed for five days and was disabled {disabledAt !== null && <Time at={disabledAt} />}. Fix it and enable it:
          it continues where it stopped.
        </div>
      ))}
    </Alert>
  );
}
