import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { queryClient, sessionQuery } from '../../api/queries';
import type { Session } from '../../api/types';
import { useFaults } from '../../lib/faults';
import { tell } from '../../lib/notes';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { Section } from '../../parts/page';
import { usePresent } from '../../shell/session';

export function NameForm() {
  const { user } = usePresent();
  const [name, setName] = useState(user.name);
  const { faults, isBusy, submit } = useFaults((field) => field === 'name');
  const save = () =>
    submit(async () => {
      const session = await request<Session>('POST', '/admin/auth/update-user', { body: { name } });
      queryClient.setQueryData(sessionQuery.queryKey, session);
      tell('Your name was saved.');
    });
  return (
    <Section title="Name">
      <div className="card form-section">
        <Form onSubmit={save}>
          <FormError>{faults.general}</FormError>
          <Group align="flex-end" gap="xs">
            <TextInput
              label="Your name"
              description="Your team sees it."
              flex="1 1 240px"
              maw={440}
              autoComplete="name"
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              error={faults.fields.name}
            />
            <Button type="submit" variant="default" loading={isBusy}>
              Save
            </Button>
          </Group>
        </Form>
      </div>
    </Section>
  );
}
