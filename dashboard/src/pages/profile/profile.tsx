import { Badge, Button, Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../api/admin';
import { request } from '../../api/client';
import { queryClient, refresh, type SessionInfo, sessionQuery, sessionsQuery } from '../../api/queries';
import { attempt, notify } from '../../lib/notify';
import { useForm } from '../../lib/use-form';
import { timeColumn } from '../../parts/columns';
import { type Column, Subline } from '../../parts/data-table';
import { Form } from '../../parts/form';
import { Page, Section } from '../../parts/page';
import { NewPasswordField, PasswordField } from '../../parts/password-field';
import { TableList } from '../../parts/table-list';
import { Time } from '../../parts/time';
import { useSession } from '../../shell/session';
import { describeBrowser } from './browsers';
import { Passkeys } from './passkeys';
import { TwoFactor } from './two-factor';

export function ProfilePage() {
  const { user } = useSession();
  return (
    <Page title="Profile and security" description={<bdi>{user.email}</bdi>}>
      <NameForm name={user.name} />
      <PasswordForm />
      <TwoFactor />
      <Passkeys />
      <Sessions />
    </Page>
  );
}

function NameForm({ name }: { name: string }) {
  const form = useForm({ name });
  const save = async () => {
    const session = await request<Session>('POST', '/admin/auth/update-user', { body: form.values });
    queryClient.setQueryData(sessionQuery.queryKey, session);
    notify('Name saved.');
  };
  return (
    <Section title="Name">
      <div className="card form-section">
        <Form form={form} onSubmit={save}>
          <Group align="flex-end" gap="xs">
            <TextInput
              label="Your name"
              description="Visible to your team."
              flex="1 1 240px"
              maw={440}
              autoComplete="name"
              {...form.bind('name')}
            />
            <Button type="submit" loading={form.isBusy}>
              Save
            </Button>
          </Group>
        </Form>
      </div>
    </Section>
  );
}

function PasswordForm() {
  const form = useForm({ currentPassword: '', newPassword: '' });
  const change = async () => {
    await request('POST', '/admin/auth/change-password', { body: form.values });
    form.clear();
    await refresh(sessionsQuery);
    notify('Password changed. Your other sessions were ended.');
  };
  return (
    <Section title="Password" description="Changing your password ends all your other sessions.">
      <div className="card form-section">
        <Form form={form} onSubmit={change} maxWidth={440}>
          <PasswordField label="Current password" autoComplete="current-password" {...form.bind('currentPassword')} />
          <NewPasswordField label="New password" {...form.bind('newPassword')} />
          <Group>
            <Button type="submit" loading={form.isBusy}>
              Change password
            </Button>
          </Group>
        </Form>
      </div>
    </Section>
  );
}

const COLUMNS: Column<SessionInfo>[] = [
  { label: 'Browser', cell: (session) => <Browser session={session} /> },
  { label: 'IP address', width: 200, from: 'medium', cell: ({ ipAddress }) => <code>{ipAddress}</code> },
  timeColumn('Signed in', 'createdAt', { from: 'small' }),
];

function Sessions() {
  const query = useQuery({ ...sessionsQuery, select: (data) => ({ data }) });
  return (
    <Section
      title="Sessions"
      description="Don’t recognize a session? End it and change your password."
      actions={
        <Button size="xs" onClick={() => end('revoke-other-sessions', {})}>
          End all other sessions
        </Button>
      }
    >
      <TableList
        label="Sessions"
        query={query}
        count={2}
        columns={COLUMNS}
        actionsWidth={70}
        actions={({ id, isCurrent }) =>
          !isCurrent && (
            <Button size="compact-sm" onClick={() => end('revoke-session', { id })}>
              End
            </Button>
          )
        }
      />
    </Section>
  );
}

function Browser({ session: { createdAt, isCurrent, ipAddress, userAgent } }: { session: SessionInfo }) {
  return (
    <>
      {describeBrowser(userAgent ?? '')} {isCurrent && <Badge>Current session</Badge>}
      <Subline isNarrow>
        {ipAddress} · signed in <Time at={createdAt} />
      </Subline>
    </>
  );
}

async function end(verb: string, body: object): Promise<void> {
  await attempt('The session could not be ended', () => request('POST', `/admin/auth/${verb}`, { body }));
  await refresh(sessionsQuery);
}
