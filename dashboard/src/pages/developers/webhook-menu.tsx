import { ActionIcon, Menu, NumberInput, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pencil, Power, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Webhook, WebhookWithSecret } from '../../api/admin';
import { request } from '../../api/client';
import { refresh, webhookPath, webhooksQuery } from '../../api/queries';
import { notify } from '../../lib/notify';
import { useForm, useSubmit } from '../../lib/use-form';
import { useMenuDialog } from '../../lib/use-menu-dialog';
import { ConfirmDialog, FormDialog } from '../../parts/dialogs';
import { SigningSecret, WebhookDialog } from './webhook-dialog';

type Action = 'edit' | 'roll' | 'replay' | 'delete';

export function WebhookMenu({ webhook, onDisable }: { webhook: Webhook; onDisable: () => void }) {
  const { dialog, open, close, button } = useMenuDialog<Action>();
  return (
    <>
      <Menu position="bottom-end" portalProps={{ target: '#main' }} width={200}>
        <Menu.Target>
          <ActionIcon ref={button} variant="default" size={36} aria-label="More actions">
            <Ellipsis size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={15} />} onClick={() => open('edit')}>
            Edit
          </Menu.Item>
          <Menu.Item leftSection={<RotateCcw size={15} />} onClick={() => open('replay')}>
            Replay events
          </Menu.Item>
          <Menu.Item leftSection={<KeyRound size={15} />} onClick={() => open('roll')}>
            Roll secret
          </Menu.Item>
          {webhook.enabled && (
            <Menu.Item leftSection={<Power size={15} />} onClick={onDisable}>
              Disable
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Trash2 size={15} />} c="var(--mantine-color-error)" onClick={() => open('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'edit' && <WebhookDialog webhook={webhook} isOpen onClose={close} />}
      {dialog === 'replay' && <ReplayDialog webhook={webhook} onClose={close} />}
      {dialog === 'roll' && <RollDialog webhook={webhook} onClose={close} />}
      <DeleteDialog webhook={dialog === 'delete' ? webhook : undefined} onClose={close} />
    </>
  );
}

interface DialogProps {
  webhook: Webhook;
  onClose: () => void;
}

function RollDialog({ webhook: { id }, onClose }: DialogProps) {
  const form = useSubmit(() => false);
  const [secret, setSecret] = useState<string>();
  const roll = async () => {
    const rolled = await request<WebhookWithSecret>('POST', `${webhookPath(id)}/roll-secret`);
    setSecret(rolled.secret);
    void refresh(webhooksQuery);
  };
  return (
    <FormDialog
      title="Roll the signing secret"
      form={form}
      isOpen
      onClose={onClose}
      action="Roll"
      onSubmit={roll}
      result={secret && <SigningSecret secret={secret} onDone={onClose} />}
    >
      <Text size="sm">
        You get a new secret. Requests are signed with both secrets for 24 hours, so you have time to update your app.
      </Text>
    </FormDialog>
  );
}

function ReplayDialog({ webhook: { id, position, enabled }, onClose }: DialogProps) {
  const form = useForm({ after: String(position) });
  const replay = async () => {
    const { after } = form.values;
    await request('POST', `${webhookPath(id)}/replay`, { body: { after: after === '' ? null : Number(after) } });
    notify(
      enabled
        ? `Sending continues after sequence number ${after}.`
        : `Sending will continue after sequence number ${after} once the endpoint is enabled.`,
    );
    void refresh(webhooksQuery);
    onClose();
  };
  return (
    <FormDialog title="Replay events" form={form} isOpen onClose={onClose} action="Replay" onSubmit={replay}>
      <Text size="sm">
        All events after this sequence number are sent again, with the same <code>webhook-id</code> as before. Your app
        can ignore events that it has already processed. A number greater than the endpoint’s position skips the events
        in between.
      </Text>
      <NumberInput
        label="After sequence number"
        min={0}
        allowDecimal={false}
        allowNegative={false}
        data-autofocus
        value={form.values.after}
        error={form.errors.fields.after}
        onChange={(after) => form.set('after', String(after))}
      />
    </FormDialog>
  );
}

function DeleteDialog({ webhook, onClose }: { webhook: Webhook | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = async ({ id }: Webhook) => {
    await request('DELETE', webhookPath(id));
    notify('Endpoint deleted.');
    await navigate({ to: '/developers/webhooks' });
    void refresh(webhooksQuery);
  };
  return (
    <ConfirmDialog title="Delete this endpoint?" action="Delete" subject={webhook} onClose={onClose} onConfirm={remove}>
      {({ url }) => (
        <Text size="sm">
          Nothing more is sent to <bdi>{url}</bdi>, and its deliveries are removed. This can’t be undone.
        </Text>
      )}
    </ConfirmDialog>
  );
}
