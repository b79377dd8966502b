import { Box, Button, Group, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { CreatedInvitation, Invitation } from '../../api/admin';
import { request } from '../../api/client';
import { invitationsQuery, membersQuery, refresh } from '../../api/queries';
import { attempt } from '../../lib/notify';
import { textColumn, timeColumn } from '../../parts/columns';
import type { Column } from '../../parts/data-table';
import { ConfirmDialog, SECRET } from '../../parts/dialogs';
import { LoadedCard } from '../../parts/loaded';
import { Page, Section } from '../../parts/page';
import { TableList } from '../../parts/table-list';
import { InvitationLink, Invite } from './invite';
import { MemberTable, ROLES } from './member-table';

export function TeamPage() {
  const members = useQuery(membersQuery);
  const [isInviting, inviting] = useDisclosure();
  const [renewed, setRenewed] = useState<CreatedInvitation>();
  const closeRenewed = () => setRenewed(undefined);
  return (
    <Page
      title="Team"
      description="Members manage listings. Administrators also manage API keys, webhooks, the team, and settings."
      actions={
        <Button variant="filled" leftSection={<UserPlus size={16} />} onClick={inviting.open}>
          Invite
        </Button>
      }
    >
      <Box mb={36}>
        <LoadedCard query={members} count={3}>
          {({ data }) => <MemberTable members={data} />}
        </LoadedCard>
      </Box>
      <Invitations onRenewed={setRenewed} />
      <Modal opened={renewed !== undefined} onClose={closeRenewed} title="New link" {...SECRET}>
        {renewed && <InvitationLink invitation={renewed} onDone={closeRenewed} />}
      </Modal>
      <Invite isOpen={isInviting} onClose={inviting.close} />
    </Page>
  );
}

const COLUMNS: Column<Invitation>[] = [
  { label: 'E-mail', sortBy: 'email', isLong: true, cell: ({ email }) => <bdi title={email}>{email}</bdi> },
  { label: 'Role', width: 130, from: 'medium', sortBy: 'role', cell: ({ role }) => ROLES[role] },
  textColumn('Invited by', 'invitedBy', { from: 'large' }, 'Operator'),
  timeColumn('Expires', 'expiresAt'),
];

/** The open invitations. `onRenewed` is called with a new invitation, which replaces an old one. */
function Invitations({ onRenewed }: { onRenewed: (invitation: CreatedInvitation) => void }) {
  const query = useQuery(invitationsQuery);
  const [revoking, setRevoking] = useState<Invitation>();
  if (query.data?.data.length === 0) return null;
  return (
    <Section
      title="Invitations"
      description="Each link works once and expires in seven days. A new link replaces the old one."
    >
      <TableList
        label="Invitations"
        query={query}
        count={1}
        columns={COLUMNS}
        actionsWidth={180}
        actions={(invitation) => (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            <Button
              size="compact-sm"
              onClick={() => renew(invitation, onRenewed)}
              aria-label={`New link for ${invitation.email}`}
            >
              New link
            </Button>
            <Button
              size="compact-sm"
              onClick={() => setRevoking(invitation)}
              aria-label={`Revoke the invitation for ${invitation.email}`}
            >
              Revoke
            </Button>
          </Group>
        )}
      />
      <ConfirmDialog
        title="Revoke this invitation?"
        action="Revoke"
        subject={revoking}
        onClose={() => setRevoking(undefined)}
        onConfirm={revoke}
      >
        {() => 'Its link stops working. You can send a new invitation at any time.'}
      </ConfirmDialog>
    </Section>
  );
}

/** Creates a new link. The service stores only a hash of a link, so the old one cannot be shown again. */
async function renew({ email, role }: Invitation, onRenewed: (invitation: CreatedInvitation) => void): Promise<void> {
  await attempt('The link could not be created', async () =>
    onRenewed(await request<CreatedInvitation>('POST', '/admin/invitations', { body: { email, role } })),
  );
  await refresh(invitationsQuery);
}

async function revoke({ id }: Invitation): Promise<void> {
  await request('DELETE', `/admin/invitations/${encodeURIComponent(id)}`);
  await refresh(invitationsQuery);
}
