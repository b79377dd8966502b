import { Badge, Button, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { membersQuery, queryClient, sessionQuery } from '../../api/queries';
import type { Member, Role } from '../../api/types';
import { tell, tellFailure } from '../../lib/notes';
import { ConfirmDialog } from '../../parts/confirm-dialog';
import { Email } from '../../parts/email';
import { Time } from '../../parts/time';
import { usePresent } from '../../shell/session';
import { ROLES, roleName } from './roles';

export function MemberTable({ members }: { members: Member[] }) {
  const [leaving, setLeaving] = useState<Member>();
  const [stepping, setStepping] = useState<Member>();
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
            <MemberRow
              key={member.id}
              member={member}
              onRemove={() => setLeaving(member)}
              onStepDown={() => setStepping(member)}
            />
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
        {leaving !== undefined && <Leaving member={leaving} />}
      </ConfirmDialog>
      <ConfirmDialog
        title="Give up being an administrator?"
        action="Become a member"
        isOpen={stepping !== undefined}
        onClose={() => setStepping(undefined)}
        onConfirm={async () => {
          if (stepping !== undefined) await setRole(stepping, 'member');
        }}
      >
        <Text size="sm">
          You will work with listings only, without keys, the team and the settings. Another administrator can make you
          one again.
        </Text>
      </ConfirmDialog>
    </div>
  );
}

function Leaving({ member: { name, isYou } }: { member: Member }) {
  const { account, accounts } = usePresent();
  if (!isYou) {
    return (
      <Text size="sm">
        <bdi>{name}</bdi> will not see anything of <bdi>{account.name}</bdi> any more. Keys they made go on working.
      </Text>
    );
  }
  return (
    <Text size="sm">
      You will not see anything of <bdi>{account.name}</bdi> any more. Keys you made go on working.
      {accounts.length === 1 && ' It is your only account: you can sign in again only after a new invitation.'}
    </Text>
  );
}

interface MemberRowProps {
  member: Member;
  onRemove: () => void;
  /** They are about to take their own rights away. */
  onStepDown: () => void;
}

function MemberRow({ member, onRemove, onStepDown }: MemberRowProps) {
  const { name, email, role, createdAt, isYou } = member;
  const choose = (chosen: string) => (isYou ? onStepDown() : changeRole(member, chosen));
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
          <Email>{email}</Email>
        </Text>
      </td>
      <td>
        <NativeSelect
          size="xs"
          miw={118}
          aria-label={`Role of ${name}`}
          data={ROLES}
          value={role}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
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

async function changeRole(member: Member, role: string): Promise<void> {
  try {
    await setRole(member, role);
  } catch (error) {
    tellFailure('The role was not changed', error);
    await refresh();
  }
}

async function setRole({ id, name, isYou }: Member, role: string): Promise<void> {
  const changed = await request<Member>('PATCH', `/admin/members/${encodeURIComponent(id)}`, { body: { role } });
  tell(`${isYou ? 'You are' : `${name} is`} now ${describeRole(changed.role)}.`);
  await refresh();
}

function describeRole(role: Role): string {
  return `${role === 'administrator' ? 'an' : 'a'} ${roleName(role).toLowerCase()}`;
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
