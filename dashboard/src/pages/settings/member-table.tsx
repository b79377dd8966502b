import { Badge, Button, NativeSelect, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { request } from '../../api/client';
import { membersQuery, queryClient, sessionQuery } from '../../api/queries';
import type { Member } from '../../api/types';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Time } from '../../parts/time';
import { usePresent } from '../../shell/session';
import { ROLES } from './roles';

export function MemberTable({ members }: { members: Member[] }) {
  const { account } = usePresent();
  const [leaving, setLeaving] = useState<Member>();
  return (
    <div className="table-wrap">
      <table className="table" aria-label="Members">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col" className="from-large">
              Joined
            </th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <MemberRow key={member.id} member={member} onRemove={() => setLeaving(member)} />
          ))}
        </tbody>
      </table>
      <ConfirmDialog
        title={leaving?.isYou ? 'Leave this account?' : 'Remove this member?'}
        action={leaving?.isYou ? 'Leave' : 'Remove'}
        isOpen={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={async () => {
          if (leaving !== undefined) await removeMember(leaving);
        }}
      >
        <Text size="sm">
          <bdi>{leaving?.name}</bdi> will not see anything of <bdi>{account.name}</bdi> any more. Keys they made go on
          working.
        </Text>
      </ConfirmDialog>
    </div>
  );
}

function MemberRow({ member, onRemove }: { member: Member; onRemove: () => void }) {
  const { name, email, role, createdAt, isYou } = member;
  return (
    <tr>
      <td className="wide">
        <Text component="bdi" size="sm" fw={500}>
          {name}
        </Text>{' '}
        {isYou && (
          <Badge variant="default" size="sm" tt="none">
            You
          </Badge>
        )}
        <Text size="xs" c="dimmed" component="div">
          <bdi>{email}</bdi>
        </Text>
      </td>
      <td>
        <NativeSelect
          size="xs"
          miw={118}
          aria-label={`Role of ${name}`}
          data={ROLES}
          value={role}
          onChange={({ currentTarget }) => changeRole(member, currentTarget.value)}
        />
      </td>
      <td className="from-large nowrap">
        <Time at={createdAt} />
      </td>
      <td className="end">
        <Button
          size="compact-sm"
          variant="default"
          onClick={onRemove}
          aria-label={`${isYou ? 'Leave' : 'Remove'} ${name}`}
        >
          {isYou ? 'Leave' : 'Remove'}
        </Button>
      </td>
    </tr>
  );
}

async function changeRole({ id }: Member, role: string): Promise<void> {
  try {
    await request('PATCH', `/admin/members/${encodeURIComponent(id)}`, { body: { role } });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    notifications.show({ color: 'red', title: 'The role was not changed', message });
  }
  await refresh();
}

async function removeMember({ id }: Member): Promise<void> {
  await request('DELETE', `/admin/members/${encodeURIComponent(id)}`);
  await refresh();
}

/** The session, too: it may have been one's own role. */
async function refresh(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}
