import { Button } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { invitationsQuery, queryClient } from '../../api/queries';
import type { Invitation } from '../../api/types';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Time } from '../../parts/time';
import { roleName } from './roles';

export function InvitationTable({ invitations }: { invitations: Invitation[] }) {
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
                <bdi>{invitation.email}</bdi>
              </td>
              <td>{roleName(invitation.role)}</td>
              <td className="from-large name">
                <bdi>{invitation.invitedBy ?? 'The operator'}</bdi>
              </td>
              <td className="from-medium nowrap">
                <Time at={invitation.expiresAt} />
              </td>
              <td className="end">
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => setDoomed(invitation)}
                  aria-label={`Revoke the invitation of ${invitation.email}`}
                >
                  Revoke
                </Button>
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

async function revoke({ id }: Invitation): Promise<void> {
  await request('DELETE', `/admin/invitations/${encodeURIComponent(id)}`);
  await queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey });
}
