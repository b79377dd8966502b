import { Alert, Code, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { CreatedInvitation } from '../../api/admin';
import { request } from '../../api/client';
import { invitationsQuery, refresh } from '../../api/queries';
import { useForm } from '../../lib/use-form';
import { FormDialog } from '../../parts/dialogs';
import { Secret } from '../../parts/secret';
import { ROLES } from './member-table';

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

interface InvitationLinkProps {
  invitation: CreatedInvitation;
  onDone: () => void;
}

export function InvitationLink({ invitation: { email, url, isMailed }, onDone }: InvitationLinkProps) {
  const address = <bdi>{email}</bdi>;
  const description = (
    <>
      {isMailed ? (
        <>We emailed a link to {address}. You can also send this link to the same invitation yourself.</>
      ) : (
        <>Email isn’t set up. Send this link to {address} yourself.</>
      )}{' '}
      This link works once, within seven days. You won’t be able to see it again.
    </>
  );
  return (
    <Secret text={url} description={description} onDone={onDone}>
      {isLocal(url) && (
        <Alert variant="light" color="yellow" title="This link works on this machine only">
          Set <Code>PUBLIC_URL</Code> to the service’s public address, restart the service, then create a new link.
        </Alert>
      )}
    </Secret>
  );
}

function isLocal(url: string): boolean {
  return /^(127\.[\d.]+|localhost|.*\.localhost|\[::1\])$/.test(new URL(url).hostname);
}
