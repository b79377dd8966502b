import { Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { invitationsQuery, queryClient } from '../../api/queries';
import type { CreatedInvitation } from '../../api/types';
import { type Sending, useFaults } from '../../lib/faults';
import { DialogForm, FormDialog } from '../../parts/form-dialog';
import { InvitationLink } from './invitation-link';

/** An invitation is a link; it is mailed where the service can, and shown this once. */
export function Invite({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [made, setMade] = useState<CreatedInvitation>();
  const sending = useFaults((field) => field === 'email');
  const close = () => {
    setMade(undefined);
    sending.clear();
    onClose();
  };
  const title = made === undefined ? 'Invite somebody' : 'Invitation';
  return (
    <FormDialog title={title} isBusy={sending.isBusy} isOpen={isOpen} onClose={close}>
      {made === undefined ? (
        <InviteForm sending={sending} onCancel={close} onDone={setMade} />
      ) : (
        <InvitationLink invitation={made} onDone={close} />
      )}
    </FormDialog>
  );
}

interface InviteFormProps {
  sending: Sending;
  onCancel: () => void;
  onDone: (made: CreatedInvitation) => void;
}

function InviteForm({ sending, onCancel, onDone }: InviteFormProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('member');
  const { faults, submit } = sending;

  const invite = () =>
    submit(async () => {
      const body = { email: email.trim(), role };
      onDone(await request<CreatedInvitation>('POST', '/admin/invitations', { body }));
      void queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    });

  return (
    <DialogForm action="Invite" sending={sending} onSubmit={invite} onCancel={onCancel}>
      <TextInput
        label="E-mail"
        type="email"
        description="They join by a link that works once, for seven days."
        data-autofocus
        autoComplete="off"
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        error={faults.fields.email}
      />
      <Radio.Group label="Role" value={role} onChange={setRole}>
        <Stack gap="xs" mt={6}>
          <Radio value="member" label="Member" description="Works with listings." />
          <Radio value="administrator" label="Administrator" description="Also with keys, the team and the settings." />
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}
