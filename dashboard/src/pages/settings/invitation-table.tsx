import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { invitationsQuery, refresh } from '../../api/queries';
import type { CreatedInvitation, Invitation } from '../../api/types';
import { attempt } from '../../lib/notify';
import { textColumn, timeColumn } from '../../parts/columns';
import { type Column, DataTable } from '../../parts/data-table';
import { ConfirmDialog } from '../../parts/dialogs';
import { ROLES } from './roles';

interface InvitationTableProps {
  invitations: Invitation[];
  /** Called with the new invitation, which replaces the old one. */
  onRenewed: (invitation: CreatedInvitation) => void;
}

const COLUMNS: Column<Invitation>[] = [
  { label: 'E-mail', sortBy: 'email', isLong: true, cell: ({ email }) => <bdi title={email}>{email}</bdi> },
  { label: 'Role', width: 130, from: 'medium', sortBy: 'role', cell: ({ role }) => ROLES[role] },
  textColumn('Invited by', 'invitedBy', { from: 'large' }, 'Operator'),
  timeColumn('Expires', 'expiresAt'),
];

export function InvitationTable({ invitations, onRenewed }: InvitationTableProps) {
  const [revoking, setRevoking] = useState<Invitation>();
  return (
    <>
      <DataTable
        label="Invitations"
        columns={COLUMNS}
        rows={invitations}
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
    </>
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
