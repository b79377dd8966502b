import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { queryClient, signInsQuery } from '../../api/queries';
import { useFaults } from '../../lib/faults';
import { tell } from '../../lib/notes';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { Section } from '../../parts/page';
import { NewPasswordField, PasswordField } from '../../parts/password-field';

export function PasswordForm() {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const { faults, isBusy, submit } = useFaults((field) => ['currentPassword', 'newPassword'].includes(field));
  const change = () =>
    submit(async () => {
      const body = { currentPassword, newPassword };
      await request('POST', '/admin/auth/change-password', { body });
      setCurrent('');
      setNew('');
      await queryClient.invalidateQueries({ queryKey: signInsQuery.queryKey });
      tell('The password was changed; other sign-ins were ended.');
    });
  return (
    <Section title="Password" description="A new one ends all your other sign-ins.">
      <div className="card form-section">
        <Form onSubmit={change}>
          <Stack maw={440}>
            <FormError>{faults.general}</FormError>
            <PasswordField
              label="Current password"
              autoComplete="current-password"
              value={currentPassword}
              onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
              error={faults.fields.currentPassword}
            />
            <NewPasswordField
              label="New password"
              value={newPassword}
              onChange={({ currentTarget }) => setNew(currentTarget.value)}
              error={faults.fields.newPassword}
            />
            <Group>
              <Button type="submit" variant="default" loading={isBusy}>
                Change password
              </Button>
            </Group>
          </Stack>
        </Form>
      </div>
    </Section>
  );
}
