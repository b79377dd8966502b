import { Checkbox, Group, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook, WebhookWithSecret } from '../../api/admin';
import { request } from '../../api/client';
import { feedsQuery, refresh, webhookPath, webhooksQuery } from '../../api/queries';
import { useForm } from '../../lib/use-form';
import { FormDialog } from '../../parts/dialogs';
import { Secret } from '../../parts/secret';
import { EVENT_TYPES } from './event-types';

interface WebhookDialogProps {
  /** The endpoint to change; if undefined, a new one is created. */
  webhook?: Webhook;
  isOpen: boolean;
  onClose: () => void;
  onCreated?: (webhook: WebhookWithSecret) => void;
}

/** Changes an endpoint, or creates one and then shows its secret. */
export function WebhookDialog({ webhook, isOpen, onClose, onCreated }: WebhookDialogProps) {
  const feeds = useQuery({ ...feedsQuery, enabled: isOpen });
  const [created, setCreated] = useState<WebhookWithSecret>();
  const [types, setTypes] = useState<string[]>(webhook?.types ?? []);
  const form = useForm({
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    feed: webhook?.feed ?? '',
  });
  const close = () => {
    setCreated(undefined);
    onClose();
    if (created !== undefined) onCreated?.(created);
  };
  const save = async () => {
    const { url, description, feed } = form.values;
    const body = {
      url,
      description: description.trim() || null,
      feed: feed || null,
      types: types.length === 0 ? null : types,
    };
    if (webhook === undefined) setCreated(await request<WebhookWithSecret>('POST', '/admin/webhooks', { body }));
    else await request<Webhook>('PATCH', webhookPath(webhook.id), { body });
    void refresh(webhooksQuery);
    if (webhook !== undefined) onClose();
  };
  const names = new Set([...(feeds.data?.data ?? []).map(({ name }) => name), form.values.feed]);
  return (
    <FormDialog
      title={titleOf(webhook, created)}
      form={form}
      isOpen={isOpen}
      onClose={close}
      action={webhook === undefined ? 'Add' : 'Save'}
      onSubmit={save}
      result={created && <SigningSecret secret={created.secret} onDone={close} />}
    >
      <TextInput
        label="URL"
        type="url"
        placeholder="https://example.com/webhooks"
        data-autofocus
        autoComplete="off"
        {...form.bind('url')}
      />
      <TextInput label="Description" autoComplete="off" {...form.bind('description')} />
      <Checkbox.Group label="Events" description="All if none is selected." value={types} onChange={setTypes}>
        <Group gap="md" mt={6}>
          {Object.entries(EVENT_TYPES).map(([type, label]) => (
            <Checkbox key={type} value={type} label={label} />
          ))}
        </Group>
      </Checkbox.Group>
      <NativeSelect
        label="Feed"
        description="Only events for this feed’s listings."
        data={[{ value: '', label: 'All listings' }, ...[...names].filter((name) => name !== '')]}
        {...form.bind('feed')}
      />
    </FormDialog>
  );
}

function titleOf(webhook: Webhook | undefined, created: WebhookWithSecret | undefined): string {
  if (created !== undefined) return 'Signing secret';
  return webhook === undefined ? 'Add an endpoint' : 'Edit the endpoint';
}

export function SigningSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const description = (
    <>
      Your app verifies the signatures of requests with this secret. Store it somewhere safe.{' '}
      <strong>You won’t be able to see it again.</strong>
    </>
  );
  return <Secret text={secret} description={description} onDone={onDone} />;
}
