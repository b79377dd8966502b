import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { request } from '../../api/client';
import { invitationsQuery, queryClient } from '../../api/queries';
import type { CreatedInvitation } from '../../api/types';
import { type Sending, useFaults } from '../../lib/faults';
import { CopyButton } from '../../parts/copy-button';
import { DialogForm, FormDialog } from '../../parts/form-dialog';

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

function InvitationLink({
  invitation: { email, url, isMailed },
  onDone,
}: {
  invitation: CreatedInvitation;
  onDone: () => void;
}) {
  const shown = useRef<HTMLElement>(null);
  return (
    <Stack>
      <Text size="sm">
        {isMailed ? 'The link was mailed to ' : 'Send this link to '}
        <bdi>{email}</bdi>. {isMailed ? 'Here it is, too: it' : 'It'} works once and will not be shown again.
      </Text>
      <code className="secret" ref={shown}>
        {url}
      </code>
      <Group justify="space-between">
        <Group gap="sm">
          <CopyButton text={url} shown={shown} />
        </Group>
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
