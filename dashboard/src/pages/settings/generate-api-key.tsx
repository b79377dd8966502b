import { NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { GeneratedApiKey } from '../../api/admin';
import { request } from '../../api/client';
import { apiKeysQuery, overviewQuery, refresh } from '../../api/queries';
import { useForm } from '../../lib/use-form';
import { FormDialog } from '../../parts/dialogs';
import { Secret } from '../../parts/secret';
import { QuickStart } from './quick-start';

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'date', label: 'On a date' },
];

/** Generates an API key. The key exists only in this dialog's state, and is gone when the dialog closes. */
export function GenerateApiKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [generated, setGenerated] = useState<GeneratedApiKey>();
  const form = useForm({ name: '', access: 'full', expiry: '', expiresAt: '' });
  const { values, set, bind } = form;
  const isOnDate = values.expiry === 'date';
  const close = () => {
    setGenerated(undefined);
    // The dialog can stay open until the page's address has changed. Until then, it must not submit the form again.
    form.clear();
    onClose();
  };
  const generate = async () => {
    const { name, access, expiry, expiresAt } = values;
    const body = { name, access, expiresAt: toExpiresAt(expiry, expiresAt) };
    // Do not use the query cache, which would store the key.
    setGenerated(await request<GeneratedApiKey>('POST', '/admin/api-keys', { body }));
    void refresh(apiKeysQuery, overviewQuery);
  };

  return (
    <FormDialog
      title={generated === undefined ? 'Generate API Key' : 'Your new API key'}
      size={generated === undefined ? 440 : 560}
      form={form}
      isOpen={isOpen}
      onClose={close}
      action="Generate"
      onSubmit={generate}
      result={generated && <ShowApiKey generated={generated} onDone={close} />}
    >
      <TextInput
        label="Name"
        placeholder="Website"
        description="The app that will use the key."
        data-autofocus
        autoComplete="off"
        {...bind('name')}
      />
      <Radio.Group label="Access" value={values.access} onChange={(access) => set('access', access)}>
        <Stack gap="xs" mt={6}>
          <Radio value="full" label="Full access" description="Can read, create, change, and delete listings." />
          <Radio value="read" label="Read only" description="Can read listings, but not change them." />
        </Stack>
      </Radio.Group>
      <NativeSelect
        label="Expires"
        data={EXPIRIES}
        {...bind('expiry')}
        error={isOnDate ? undefined : form.errors.fields.expiresAt}
      />
      {isOnDate && (
        <TextInput
          label="Date"
          type="date"
          description="The key works until the end of that day."
          {...bind('expiresAt')}
        />
      )}
    </FormDialog>
  );
}

/** The end of `day` if `expiry` is `date`, or `expiry` days from now; undefined if the key does not expire. */
function toExpiresAt(expiry: string, day: string): string | undefined {
  if (expiry === '') return undefined;
  if (expiry !== 'date') return new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  // Send an incomplete date as it is, so that the service rejects it.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}

export function ShowApiKey({ generated: { key, access }, onDone }: { generated: GeneratedApiKey; onDone: () => void }) {
  const description = (
    <>
      Store it somewhere safe. <strong>You won’t be able to see it again.</strong>
    </>
  );
  return (
    <Secret text={key} description={description} onDone={onDone}>
      <Stack gap={6} mt="xs">
        <Text size="sm" fw={500}>
          Try it
        </Text>
        <QuickStart apiKey={key} isReadOnly={access === 'read'} />
      </Stack>
    </Secret>
  );
}
