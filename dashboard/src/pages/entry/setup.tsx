import { Anchor, Button, Code, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/client';
import { setupQuery } from '../../api/queries';
import type { Session, Setup, SetupOffer } from '../../api/types';
import { useFaults } from '../../lib/faults';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { NewPasswordField } from '../../parts/password-field';
import { ErrorState } from '../../parts/states';
import { Entry, useEnter, useToken } from './entry';

/** The first administrator makes themselves, by the link that only the operator sees. */
export function SetupPage() {
  const { data: setup, error, refetch } = useQuery(setupQuery);
  const token = useToken();
  if (error !== null) {
    return (
      <Entry title="Set up">
        <ErrorState error={error} onRetry={refetch} />
      </Entry>
    );
  }
  if (setup === undefined) return <Waiting />;
  if (!setup.isOpen) return <Finished />;
  if (token === '') return <NoLink setup={setup} />;
  return <SetupByLink setup={setup} token={token} />;
}

function Waiting() {
  return (
    <Entry title="Set up">
      <Skeleton height={220} role="status" aria-label="Loading" />
    </Entry>
  );
}

/** Whether the link works is known before anything is typed. */
function SetupByLink({ setup, token }: { setup: Setup; token: string }) {
  const { data: offer, error } = useQuery({
    queryKey: ['setup-link', token],
    queryFn: () => request<SetupOffer>('POST', '/admin/setup/preview', { body: { token } }),
    // Not asked again while the form is filled in.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) {
    return (
      <Entry title="Open the newest setup link">
        <Text size="sm">
          {error.message} <Whereabouts setup={setup} />
        </Text>
      </Entry>
    );
  }
  return offer === undefined ? <Waiting /> : <SetupForm setup={setup} offer={offer} token={token} />;
}

function Whereabouts({ setup: { file } }: { setup: Setup }) {
  if (file === null) return null;
  return (
    <>
      It stands in <Code>{file}</Code> in the data directory.
    </>
  );
}

const FIELDS = ['name', 'email', 'password', 'accountName'];

interface SetupFormProps {
  setup: Setup;
  offer: SetupOffer;
  token: string;
}

function SetupForm({ setup, offer, token }: SetupFormProps) {
  const [values, setValues] = useState({ accountName: '', name: '', email: '', password: '' });
  const { faults, isBusy, submit } = useFaults((field) => FIELDS.includes(field));
  const enter = useEnter();
  const bind = (field: keyof typeof values) => ({
    value: values[field],
    error: faults.fields[field],
    onChange: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) =>
      setValues((before) => ({ ...before, [field]: value })),
  });

  const finish = () =>
    submit(async () => {
      const { accountName, ...person } = values;
      const account = setup.needsAccountName ? { accountName } : {};
      enter(await request<Session>('POST', '/admin/setup', { body: { token, ...person, ...account } }));
    });

  return (
    <Entry title="Set up Property Listings">
      <Form onSubmit={finish}>
        <Stack>
          <Text c="dimmed" size="sm" mt={-12}>
            You will be the first administrator{describeAccounts(offer)}. Others come by invitation.
          </Text>
          <FormError>{faults.general}</FormError>
          {setup.needsAccountName && (
            <TextInput
              label="Account"
              description="Your company, as your team calls it."
              autoComplete="organization"
              {...bind('accountName')}
            />
          )}
          <TextInput label="Your name" autoComplete="name" {...bind('name')} />
          <TextInput label="E-mail" type="email" autoComplete="username" {...bind('email')} />
          <NewPasswordField label="Password" {...bind('password')} />
          <Button type="submit" loading={isBusy} fullWidth mt={4}>
            Finish setup
          </Button>
        </Stack>
      </Form>
    </Entry>
  );
}

const LIST = new Intl.ListFormat('en');

function describeAccounts({ accountNames, hasMoreAccounts }: SetupOffer): string {
  if (accountNames.length === 0) return '';
  return ` of ${LIST.format(hasMoreAccounts ? [...accountNames, 'all others'] : accountNames)}`;
}

function NoLink({ setup }: { setup: Setup }) {
  return (
    <Entry title="Open the setup link">
      <Text size="sm">
        The service printed a link when it was started: it begins like the address of this page and ends with a secret
        part. Open it as a whole. <Whereabouts setup={setup} />
      </Text>
    </Entry>
  );
}

function Finished() {
  return (
    <Entry title="Already set up">
      <Text size="sm" mb="md">
        There is an administrator already; a setup link works once.
      </Text>
      <Anchor component={Link} to="/sign-in" size="sm">
        Go to sign-in
      </Anchor>
    </Entry>
  );
}
