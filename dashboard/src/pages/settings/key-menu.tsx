import { ActionIcon, Menu, NativeSelect, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, RotateCw, ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey, GeneratedApiKey } from '../../api/admin';
import { request } from '../../api/client';
import { apiKeysQuery, overviewQuery, refresh } from '../../api/queries';
import { notify } from '../../lib/notify';
import { useForm } from '../../lib/use-form';
import { useMenuDialog } from '../../lib/use-menu-dialog';
import { FormDialog } from '../../parts/dialogs';
import { LastUsed } from '../../parts/time';
import { ShowApiKey } from './generate-api-key';

export function KeyMenu({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, replacedBy } = apiKey;
  const { dialog, open, close, button } = useMenuDialog<'rename' | 'roll'>();
  const navigate = useNavigate();
  return (
    <>
      <Menu position="bottom-end" portalProps={{ target: '#main' }} width={150}>
        <Menu.Target>
          <ActionIcon ref={button} variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
            <Ellipsis size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={15} />} onClick={() => open('rename')}>
            Rename
          </Menu.Item>
          {replacedBy === null && (
            <Menu.Item leftSection={<RotateCw size={15} />} onClick={() => open('roll')}>
              Roll
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<ScrollText size={15} />}
            onClick={() => navigate({ to: '/developers/requests', search: { keyId: id } })}
          >
            Requests
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'rename' && <RenameKey apiKey={apiKey} onClose={close} />}
      {dialog === 'roll' && <RollKey apiKey={apiKey} onClose={close} />}
    </>
  );
}

interface KeyDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

function RenameKey({ apiKey: { id, name }, onClose }: KeyDialogProps) {
  const form = useForm({ name });
  const rename = async () => {
    await request('PATCH', keyPath(id), { body: form.values });
    await refresh(apiKeysQuery, overviewQuery);
    notify('Key renamed.');
    onClose();
  };
  return (
    <FormDialog title="Rename API key" form={form} isOpen onClose={onClose} action="Rename" onSubmit={rename}>
      <TextInput label="Name" data-autofocus autoComplete="off" {...form.bind('name')} />
    </FormDialog>
  );
}

const OVERLAPS = [
  { value: '0', label: 'Immediately' },
  { value: '1', label: 'In 1 hour' },
  { value: '24', label: 'In 24 hours' },
  { value: '72', label: 'In 3 days' },
  { value: '168', label: 'In 7 days' },
];

/** Replaces a key. The new key exists only in this dialog's state. */
function RollKey({ apiKey: { id, name, lastUsedAt }, onClose }: KeyDialogProps) {
  const form = useForm({ expiresInHours: '24' });
  const [rolled, setRolled] = useState<GeneratedApiKey>();
  const roll = async () => {
    const body = { expiresInHours: Number(form.values.expiresInHours) };
    setRolled(await request<GeneratedApiKey>('POST', `${keyPath(id)}/roll`, { body }));
    void refresh(apiKeysQuery, overviewQuery);
  };
  return (
    <FormDialog
      title={rolled === undefined ? 'Roll API key' : 'Your new API key'}
      size={rolled === undefined ? 440 : 560}
      form={form}
      isOpen
      onClose={onClose}
      action="Roll"
      onSubmit={roll}
      result={rolled && <ShowApiKey generated={rolled} onDone={onClose} />}
    >
      <Text size="sm">
        This creates a key with the same name and access as <bdi style={{ fontWeight: 700 }}>{name}</bdi>.{' '}
        {form.values.expiresInHours === '0'
          ? 'The old key stops working immediately.'
          : 'Both keys work until the old one expires.'}{' '}
        The old key was <LastUsed at={lastUsedAt} />.
      </Text>
      <NativeSelect label="The old key expires" data={OVERLAPS} {...form.bind('expiresInHours')} />
    </FormDialog>
  );
}

function keyPath(id: string): string {
  return `/admin/api-keys/${encodeURIComponent(id)}`;
}
