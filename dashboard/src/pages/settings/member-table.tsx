import { Badge, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import type { Member } from '../../api/admin';
import { request } from '../../api/client';
import { membersQuery, refresh, sessionQuery } from '../../api/queries';
import { notify } from '../../lib/notify';
import { timeColumn } from '../../parts/columns';
import { type Column, DataTable, Subline } from '../../parts/data-table';
import { ConfirmDialog } from '../../parts/dialogs';
import { useSession } from '../../shell/session';

export const ROLES: Record<Member['role'], string> = { member: 'Member', administrator: 'Administrator' };

const ROLE_OPTIONS = Object.entries(ROLES).map(([value, label]) => ({ value, label }));

const COLUMNS: Column<Member>[] = [
  { label: 'Name', sortBy: 'name', cell: (member) => <Name member={member} /> },
  timeColumn('Joined', 'createdAt'),
];

export function MemberTable({ members }: { members: Member[] }) {
  const [leaving, setLeaving] = useState<Member>();
  const [changing, setChanging] = useState<RoleChange>();
  const dialog = changing && describeChange(changing);
  return (
    <>
      <DataTable
        label="Members"
        columns={COLUMNS}
        rows={members}
        // On phones, the button is below the role.
        actionsWidth="min(250px, 48cqi)"
        actions={(member) => (
          <Group gap={6} justify="flex-end">
            <NativeSelect
              size="xs"
              w={124}
              aria-label={`Role of ${member.name}`}
              data={ROLE_OPTIONS}
              value={member.role}
              onChange={({ currentTarget: { value } }) =>
                setChanging({ member, role: value === 'member' ? value : 'administrator' })
              }
            />
            <Button size="compact-sm" onClick={() => setLeaving(member)}>
              {member.isYou ? 'Leave' : 'Remove'}
              <span className="visually-hidden"> {member.name}</span>
            </Button>
          </Group>
        )}
      />
      <ConfirmDialog
        title={leaving?.isYou ? 'Leave this account?' : 'Remove this member?'}
        action={leaving?.isYou ? 'Leave' : 'Remove'}
        subject={leaving}
        onClose={() => setLeaving(undefined)}
        onConfirm={removeMember}
      >
        {(member) => <Leaving member={member} />}
      </ConfirmDialog>
      <ConfirmDialog
        title={dialog?.title ?? ''}
        action={dialog?.action}
        subject={changing}
        onClose={() => setChanging(undefined)}
        onConfirm={setRole}
      >
        {(change) => <Text size="sm">{describeChange(change).text}</Text>}
      </ConfirmDialog>
    </>
  );
}

interface RoleChange {
  member: Member;
  role: Member['role'];
}

function describeChange({ member: { name, isYou }, role }: RoleChange) {
  if (isYou) {
    const text =
      'You will no longer be able to manage API keys, the team, or settings. Only another administrator can undo this.';
    return { title: 'Give up the administrator role?', action: 'Become a member', text };
  }
  if (role === 'member') {
    const text = 'They will no longer be able to manage API keys, the team, or settings.';
    return { title: `Make ${name} a member?`, action: 'Make member', text };
  }
  const text = 'Administrators can manage API keys, the team, and settings.';
  return { title: `Make ${name} an administrator?`, action: 'Make administrator', text };
}

function Leaving({ member: { name, isYou } }: { member: Member }) {
  const { account, accounts } = useSession();
  return (
    <Text size="sm">
      {isYou ? 'You' : <bdi>{name}</bdi>} will lose access to <bdi>{account.name}</bdi>. API keys that{' '}
      {isYou ? 'you' : 'they'} created keep working.
      {isYou &&
        accounts.length === 1 &&
        ' This is your only account: to sign in again, you will need a new invitation.'}
    </Text>
  );
}

function Name({ member: { name, email, isYou } }: { member: Member }) {
  return (
    <>
      <Text component="bdi" size="sm" fw={500}>
        {name}
      </Text>{' '}
      {isYou && <Badge>You</Badge>}
      <Subline>
        <bdi title={email}>{email}</bdi>
      </Subline>
    </>
  );
}

async function setRole({ member: { id, name, isYou }, role }: RoleChange): Promise<void> {
  const changed = await request<Member>('PATCH', `/admin/members/${encodeURIComponent(id)}`, { body: { role } });
  notify(`${isYou ? 'You are' : `${name} is`} now ${changed.role === 'member' ? 'a member' : 'an administrator'}.`);
  await refreshMembers();
}

async function removeMember({ id }: Member): Promise<void> {
  await request('DELETE', `/admin/members/${encodeURIComponent(id)}`);
  await refreshMembers();
}

/** Reloads the members, and the session in case the user's own role changed. */
async function refreshMembers(): Promise<void> {
  await refresh(membersQuery);
  await refresh(sessionQuery);
}
