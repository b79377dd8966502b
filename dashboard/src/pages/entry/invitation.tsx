import { Anchor, Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { request } from '../../api/client';
import { sessionQuery } from '../../api/queries';
import type { InvitationPreview, Session } from '../../api/types';
import { useFaults } from '../../lib/faults';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { NewPasswordField } from '../../parts/password-field';
import { Entry, useEnter, useToken } from './entry';

const TOKEN_KEY = 'invitation';

/** Somebody follows the link of an invitation. */
export function InvitationPage() {
  const token = useRememberedToken();
  const { data: preview, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request<InvitationPreview>('POST', '/admin/invitations/preview', { body: { token } }),
    // Not asked again while the form is filled in.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: session } = useQuery(sessionQuery);

  if (error !== null) {
    return (
      <Entry title="This invitation cannot be used">
        <Text size="sm">{error.message}</Text>
      </Entry>
    );
  }
  if (preview === undefined || session === undefined) {
    return (
      <Entry title="Invitation">
        <Skeleton height={180} role="status" aria-label="Loading" />
      </Entry>
    );
  }
  if (!preview.hasUser) return <NewPerson preview={preview} token={token} />;
  const isThem = session?.user.email.toLowerCase() === preview.email.toLowerCase();
  return isThem ? <Join preview={preview} token={token} /> : <SignInFirst preview={preview} />;
}

function NewPerson({ preview, token }: { preview: InvitationPreview; token: string }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { faults, isBusy, submit } = useFaults((field) => field === 'name' || field === 'password');
  const accept = useAccept(token);
  return (
    <Entry title={`Join ${preview.accountName}`}>
      <Form onSubmit={() => submit(() => accept({ name, password }))}>
        <Stack>
          <FormError>{faults.general}</FormError>
          <TextInput label="E-mail" value={preview.email} readOnly autoComplete="username" />
          <TextInput
            label="Your name"
            autoComplete="name"
            autoFocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={faults.fields.name}
          />
          <NewPasswordField
            label="Password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            error={faults.fields.password}
          />
          <Button type="submit" loading={isBusy} fullWidth>
            Join
          </Button>
        </Stack>
      </Form>
    </Entry>
  );
}

function Join({ preview, token }: { preview: InvitationPreview; token: string }) {
  const { faults, isBusy, submit } = useFaults(() => false);
  const accept = useAccept(token);
  return (
    <Entry title={`Join ${preview.accountName}`}>
      <Stack>
        <FormError>{faults.general}</FormError>
        <Text size="sm">You are signed in as {preview.email} and will have this account besides your others.</Text>
        <Button loading={isBusy} onClick={() => submit(() => accept({}))} fullWidth>
          Join
        </Button>
      </Stack>
    </Entry>
  );
}

function SignInFirst({ preview }: { preview: InvitationPreview }) {
  return (
    <Entry title={`Join ${preview.accountName}`}>
      <Text size="sm" mb="md">
        This invitation is for <bdi>{preview.email}</bdi>, who has a sign-in already. Sign in with it, and you come back
        here.
      </Text>
      <Anchor size="sm" renderRoot={(props) => <Link to="/sign-in" search={{ next: '/invitation' }} {...props} />}>
        Go to sign-in
      </Anchor>
    </Entry>
  );
}

function useAccept(token: string): (person: { name?: string; password?: string }) => Promise<void> {
  const enter = useEnter();
  return async (person) => {
    const session = await request<Session>('POST', '/admin/invitations/accept', { body: { token, ...person } });
    sessionStorage.removeItem(TOKEN_KEY);
    enter(session);
  };
}

/** The way to the sign-in page and back loses what stands behind `#`; this window keeps it meanwhile. */
function useRememberedToken(): string {
  const token = useToken();
  useEffect(() => {
    if (token !== '') sessionStorage.setItem(TOKEN_KEY, token);
  }, [token]);
  return token === '' ? (sessionStorage.getItem(TOKEN_KEY) ?? '') : token;
}
