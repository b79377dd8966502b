import { Button, Group, TextInput } from '@mantine/core';
import { request } from '../../api/client';
import { queryClient, refresh, sessionQuery, sessionsQuery } from '../../api/queries';
import type { Session } from '../../api/types';
import { notify } from '../../lib/notify';
import { useForm } from '../../lib/use-form';
import { Form } from '../../parts/form';
import { Page, Section } from '../../parts/page';
import { NewPasswordField, PasswordField } from '../../parts/password-field';
import { useSession } from '../../shell/session';
import { Passkeys } from './passkeys';
import { Sessions } from './sessions';
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
