import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { invitationsQuery, queryClient } from '../../api/queries';
import type { CreatedInvitation, Invitation } from '../../api/types';
import { tellFailure } from '../../lib/notes';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Email } from '../../parts/email';
import { Time } from '../../parts/time';
import { roleName } from './roles';

interface InvitationTableProps {
  invitations: Invitation[];
  /** Told of an invitation that takes the place of one. */
  onRenewed: (invitation: CreatedInvitation) => void;
}

export function InvitationTable({ invitations, onRenewed }: InvitationTableProps) {
  const [doomed, setDoomed] = useState<Invitation>();
  return (
    <div className="table-wrap">
      <table className="table" aria-label="Invitations">
        <thead>
          <tr>
            <th scope="col">E-mail</th>
            <th scope="col">Role</th>
            <th scope="col" className="from-large">
              Invited by
            </th>
            <th scope="col" className="from-medium">
              Expires
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invitations.map((invitation) => (
            <tr key={invitation.id}>
              <td className="wide">
                <Email>{invitation.email}</Email>
              </td>
              <td>{roleName(invitation.role)}</td>
              <td className="from-large name">
                <bdi>{invitation.invitedBy ?? 'The operator'}</bdi>
              </td>
              <td className="from-medium nowrap">
                <Time at={invitation.expiresAt} />
              </td>
              <td className="end">
                <Group gap={6} justify="flex-end">
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => renew(invitation, onRenewed)}
                    aria-label={`New link for ${invitation.email}`}
                  >
                    New link
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="default"
                    onClick={() => setDoomed(invitation)}
                    aria-label={`Revoke the invitation of ${invitation.email}`}
                  >
                    Revoke
                  </Button>
                </Group>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <ConfirmDialog
        title="Revoke this invitation?"
        action="Revoke"
        isOpen={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        onConfirm={async () => {
          if (doomed !== undefined) await revoke(doomed);
        }}
      >
        Its link stops working. You can invite them again at any time.
      </ConfirmDialog>
    </div>
  );
}

/** The link before it is over: nobody can show that one again. */
async function renew({ email, role }: Invitation, onRenewed: (invitation: CreatedInvitation) => void): Promise<void> {
  try {
    onRenewed(await request<CreatedInvitation>('POST', '/admin/invitations', { body: { email, role } }));
  } catch (error) {
    tellFailure('There is no new link', error);
  }
  await queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey });
}

async function revoke({ id }: Invitation): Promise<void> {
  await request('DELETE', `/admin/invitations/${encodeURIComponent(id)}`);
  await queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey });
}
