import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { apiKeysQuery, overviewQuery, queryClient } from '../../api/queries';
import type { ApiKey } from '../../api/types';
import { type Sending, useFaults } from '../../lib/faults';
import { DialogForm, FormDialog } from '../../parts/form-dialog';
import { type MadeKey, ShowApiKey } from './show-api-key';

interface GenerateApiKeyProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Two steps: what the key is for, then the key, shown once. It is kept nowhere else and gone when the dialog closes. */
export function GenerateApiKey({ isOpen, onClose }: GenerateApiKeyProps) {
  const [made, setMade] = useState<MadeKey>();
  const sending = useFaults((field) => ['name', 'expiresAt'].includes(field));
  const close = () => {
    setMade(undefined);
    sending.clear();
    onClose();
  };
  return (
    <FormDialog
      title={made === undefined ? 'Generate API Key' : 'Your new key'}
      size={made === undefined ? 440 : 560}
      isBusy={sending.isBusy}
      isOpen={isOpen}
      onClose={close}
    >
      {made === undefined ? (
        <KeyForm sending={sending} onCancel={close} onDone={setMade} />
      ) : (
        <ShowApiKey made={made} onDone={close} />
      )}
    </FormDialog>
  );
}

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'On a day of your choice' },
];

interface KeyFormProps {
  sending: Sending;
  onCancel: () => void;
  onDone: (made: MadeKey) => void;
}

function KeyForm({ sending, onCancel, onDone }: KeyFormProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState('full');
  const [expiry, setExpiry] = useState('');
  const [day, setDay] = useState('');
  const { faults, submit } = sending;

  const generate = () =>
    submit(async () => {
      const expiresAt = toExpiresAt(expiry, day);
      const body = { name, access, ...(expiresAt === undefined ? {} : { expiresAt }) };
      // Not by way of the query cache: nothing may keep the key.
      const { key, access: granted } = await request<ApiKey & MadeKey>('POST', '/admin/api-keys', { body });
      onDone({ key, access: granted });
      void queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
      void queryClient.invalidateQueries({ queryKey: overviewQuery.queryKey });
    });

  return (
    <DialogForm action="Generate" sending={sending} onSubmit={generate} onCancel={onCancel}>
      <TextInput
        label="Name"
        placeholder="Website"
        description="The program that will use it."
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={faults.fields.name}
      />
      <Radio.Group label="Access" value={access} onChange={setAccess}>
        <Stack gap="xs" mt={6}>
          <Radio value="full" label="Full access" description="Reads, creates, changes and deletes." />
          <Radio value="read" label="Read only" description="Reads and nothing else." />
        </Stack>
      </Radio.Group>
      <NativeSelect
        label="Expires"
        data={EXPIRIES}
        value={expiry}
        onChange={({ currentTarget }) => setExpiry(currentTarget.value)}
        error={expiry === 'date' ? undefined : faults.fields.expiresAt}
      />
      {expiry === 'date' && (
        <TextInput
          label="Day"
          type="date"
          description="It works until the end of that day."
          value={day}
          onChange={({ currentTarget }) => setDay(currentTarget.value)}
          error={faults.fields.expiresAt}
        />
      )}
    </DialogForm>
  );
}

/** The end of the chosen day here, or that many days from now; undefined for never. */
function toExpiresAt(expiry: string, day: string): string | undefined {
  if (expiry === '') return undefined;
  if (expiry !== 'date') return new Date(Date.now() + Number(expiry) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  // What is no day yet is sent as it is: the service refuses it.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}
