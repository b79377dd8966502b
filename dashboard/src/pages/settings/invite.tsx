import { Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { invitationsQuery, refresh } from '../../api/queries';
import type { CreatedInvitation } from '../../api/types';
import { useForm } from '../../lib/use-form';
import { FormDialog } from '../../parts/dialogs';
import { InvitationLink } from './invitation-link';
import { ROLES } from './roles';

export function Invite({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedInvitation>();
  const form = useForm({ email: '', role: 'member' });
  const { values, set, bind } = form;
  const close = () => {
    setCreated(undefined);
    onClose();
  };
  const invite = async () => {
    const body = { ...values, email: values.email.trim() };
    setCreated(await request<CreatedInvitation>('POST', '/admin/invitations', { body }));
    void refresh(invitationsQuery);
  };

  return (
    <FormDialog
      title={created === undefined ? 'Invite a team member' : 'Invitation'}
      form={form}
      isOpen={isOpen}
      onClose={close}
      action="Invite"
      onSubmit={invite}
      result={created && <InvitationLink invitation={created} onDone={close} />}
    >
      <TextInput
        label="E-mail"
        type="email"
        description="The invitation link works once, within seven days."
        data-autofocus
        autoComplete="off"
        {...bind('email')}
      />
      <Radio.Group label="Role" value={values.role} onChange={(role) => set('role', role)}>
        <Stack gap="xs" mt={6}>
          <Radio value="member" label={ROLES.member} description="Manages listings." />
          <Radio
            value="administrator"
            label={ROLES.administrator}
            description="Also manages API keys, the team, and settings."
          />
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
