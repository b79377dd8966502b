import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { InvitationPreview, Session } from '../../api/admin';
import { request } from '../../api/client';
import { sessionQuery } from '../../api/queries';
import { useForm } from '../../lib/use-form';
import { Form } from '../../parts/form';
import { TextLink } from '../../parts/links';
import { NewPasswordField } from '../../parts/password-field';
import { Entry, LoadingEntry, useEnter, useToken } from './entry';

const TOKEN_KEY = 'invitation';

export function InvitationPage() {
  const token = useRememberedToken();
  const { data: preview, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request<InvitationPreview>('POST', '/admin/invitations/preview', { body: { token } }),
    // A reload could replace the form while the user fills it in.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: session } = useQuery(sessionQuery);

  if (error !== null) {
    return (
      <Entry title="This invitation can’t be used">
        <Text size="sm">{error.message}</Text>
      </Entry>
    );
  }
  if (preview === undefined || session === undefined) return <LoadingEntry title="Invitation" />;
  const isSignedIn = session?.user.email.toLowerCase() === preview.email.toLowerCase();
  return (
    <Entry title={`Join ${preview.accountName}`}>
      {preview.hasUser && !isSignedIn ? (
        <SignInFirst email={preview.email} />
      ) : (
        <Join preview={preview} token={token} />
      )}
    </Entry>
  );
}

/** The form to accept the invitation. Existing users only confirm; new users enter a name and a password. */
function Join({ preview: { email, hasUser }, token }: { preview: InvitationPreview; token: string }) {
  const form = useForm({ name: '', password: '' });
  const enter = useEnter();
  const accept = async () => {
    const body = { token, ...(hasUser ? {} : form.values) };
    const session = await request<Session>('POST', '/admin/invitations/accept', { body });
    sessionStorage.removeItem(TOKEN_KEY);
    enter(session);
  };
  return (
    <Form form={form} onSubmit={accept}>
      {hasUser ? (
        <Text size="sm">You are signed in as {email}. Join to add this account to yours.</Text>
      ) : (
        <>
          <TextInput label="E-mail" value={email} readOnly autoComplete="username" />
          <TextInput label="Your name" autoComplete="name" autoFocus {...form.bind('name')} />
          <NewPasswordField label="Password" {...form.bind('password')} />
        </>
      )}
      <Button variant="filled" type="submit" loading={form.isBusy} fullWidth>
        Join
      </Button>
    </Form>
  );
}

function SignInFirst({ email }: { email: string }) {
  return (
    <Stack>
      <Text size="sm">
        This invitation is for <bdi>{email}</bdi>. Sign in with that email address to accept it.
      </Text>
      <TextLink to="/sign-in" search={{ next: '/invitation' }}>
        Go to sign-in
      </TextLink>
    </Stack>
  );
}

/** Keeps the token in this tab, because the URL's fragment is lost if the user signs in first. */
function useRememberedToken(): string {
  const token = useToken();
  useEffect(() => {
    if (token !== '') sessionStorage.setItem(TOKEN_KEY, token);
  }, [token]);
  return token === '' ? (sessionStorage.getItem(TOKEN_KEY) ?? '') : token;
}
