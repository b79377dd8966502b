import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Passkey } from '../../api/admin';
import { ApiError, request } from '../../api/client';
import { passkeysQuery, refresh } from '../../api/queries';
import { notify } from '../../lib/notify';
import { addPasskey, canUsePasskeys } from '../../lib/passkeys';
import { useForm } from '../../lib/use-form';
import { timeColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { ConfirmDialog, FormDialog } from '../../parts/dialogs';
import { Section } from '../../parts/page';
import { PasswordField } from '../../parts/password-field';
import { TableList } from '../../parts/table-list';
import { LastUsed } from '../../parts/time';
import { useSession } from '../../shell/session';
import { describeBrowser } from './browsers';
import { CodeField } from './two-factor';

const COLUMNS: Column<Passkey>[] = [
  { label: 'Name', cell: (passkey) => <Name passkey={passkey} /> },
  timeColumn('Added', 'createdAt', { from: 'medium' }),
  timeColumn('Last used', 'lastUsedAt', { from: 'small' }),
];

export function Passkeys() {
  const query = useQuery({ ...passkeysQuery, select: (data) => ({ data }) });
  const [isAdding, setAdding] = useState(false);
  const [deleted, setDeleted] = useState<Passkey>();
  const canAdd = canUsePasskeys();
  const remove = async ({ id }: Passkey) => {
    await request('POST', '/admin/auth/passkey/revoke', { body: { id } });
    await refresh(passkeysQuery);
    notify('Passkey deleted.');
  };
  return (
    <Section
      title="Passkeys"
      description="Sign in with your fingerprint, face, or screen lock instead of your password and code."
      actions={
        canAdd && (
          <Button size="xs" onClick={() => setAdding(true)}>
            Add a passkey
          </Button>
        )
      }
    >
      <TableList
        label="Passkeys"
        query={query}
        count={1}
        columns={COLUMNS}
        empty={<Empty canAdd={canAdd} />}
        actionsWidth={80}
        actions={(passkey) => (
          <Button size="compact-sm" onClick={() => setDeleted(passkey)}>
            Delete
          </Button>
        )}
      />
      <AddDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      <ConfirmDialog
        title="Delete this passkey?"
        action="Delete"
        subject={deleted}
        onClose={() => setDeleted(undefined)}
        onConfirm={remove}
      >
        {({ name }) => (
          <Text size="sm">
            You won’t be able to sign in with <bdi>{name}</bdi> anymore. Remove it from your device, too.
          </Text>
        )}
      </ConfirmDialog>
    </Section>
  );
}

function Empty({ canAdd }: { canAdd: boolean }) {
  return (
    <Text size="sm" p="md">
      {canAdd
        ? 'No passkeys yet.'
        : 'To add a passkey, open the dashboard over HTTPS at its domain name (or at localhost), in a browser that supports passkeys.'}
    </Text>
  );
}

function Name({ passkey: { name, lastUsedAt } }: { passkey: Passkey }) {
  return (
    <>
      <bdi>{name}</bdi>
      <Subline isNarrow>
        <LastUsed at={lastUsedAt} isSentence />
      </Subline>
    </>
  );
}

function AddDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { hasTwoFactor } = useSession().user;
  const form = useForm({ name: describeBrowser(navigator.userAgent), password: '', code: '' });
  const add = async () => {
    const { name, password, code } = form.values;
    const proof = hasTwoFactor ? { password, code: code.trim() } : { password };
    if ((await addPasskey(name, proof)) === undefined) {
      form.set('code', '');
      throw new ApiError(0, 'passkey_cancelled', 'The passkey was not added. Try again.');
    }
    onClose();
    await refresh(passkeysQuery);
    notify('Passkey added.');
  };
  return (
    <FormDialog title="Add a passkey" form={form} isOpen={isOpen} onClose={onClose} action="Continue" onSubmit={add}>
      <TextInput
        label="Name"
        description="A name that helps you recognize the passkey later, such as the device or password manager."
        required
        {...form.bind('name')}
      />
      <PasswordField label="Password" data-autofocus autoComplete="current-password" {...form.bind('password')} />
      {hasTwoFactor && <CodeField {...form.bind('code')} />}
    </FormDialog>
  );
}
