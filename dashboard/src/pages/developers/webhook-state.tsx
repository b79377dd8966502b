import { Alert } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleAlert } from 'lucide-react';
import type { Overview, Webhook } from '../../api/admin';
import { formatExact } from '../../lib/format';
import { StateBadge } from '../../parts/state-badge';
import { Time } from '../../parts/time';

export function WebhookState({ webhook: { enabled, failingSince } }: { webhook: Webhook }) {
  if (!enabled) return <StateBadge label="Disabled" color="gray-6" />;
  if (failingSince !== null) return <StateBadge label="Failing" color="red-7" />;
  return <StateBadge label="Enabled" color="evergreen-5" />;
}

/** A banner about endpoints that are failing, and those that the service has disabled because they failed. */
export function FailingWebhooks({ webhooks }: { webhooks: Overview['failingWebhooks'] }) {
  const failing = webhooks.filter(({ failingSince, disabledAt }) => failingSince !== null || disabledAt !== null);
  if (failing.length === 0) return null;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<CircleAlert size={18} />}
      mb="md"
      title={failing.length === 1 ? 'Failing webhook endpoint' : 'Failing webhook endpoints'}
    >
      {failing.map(({ id, url, failingSince, disabledAt }) => (
        <div key={id}>
          <Link className="quiet-link" to="/developers/webhooks/$id" params={{ id }}>
            <bdi>{url}</bdi>
          </Link>{' '}
          {disabledAt !== null ? (
            <>
              failed for five days and was disabled <Time at={disabledAt} />. Fix the endpoint, and then enable it to
              get the events that it has missed.
            </>
          ) : (
            <>has been failing since {failingSince !== null && formatExact(failingSince)}.</>
          )}
        </div>
      ))}
    </Alert>
  );
}
