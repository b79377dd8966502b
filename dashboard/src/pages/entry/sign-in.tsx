import { Alert, Anchor, Button, Code, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Session } from '../../api/admin';
import { request } from '../../api/client';
import { setupQuery } from '../../api/queries';
import { canUsePasskeys, signInWithPasskey } from '../../lib/passkeys';
import { useForm } from '../../lib/use-form';
import { Form } from '../../parts/form';
import { PasswordField } from '../../parts/password-field';
import { Entry, LinkFile, useEnter } from './entry';

export function SignInPage() {
  const [needsCode, setNeedsCode] = useState(false);
  const { next } = useSearch({ from: '/sign-in' });
  const enter = useEnter();
  const proceed = (session: Session) => enter(session, next);

  if (needsCode) return <CodeStep onDone={proceed} onBack={() => setNeedsCode(false)} />;
  return <PasswordStep onDone={proceed} onCode={() => setNeedsCode(true)} />;
}

function PasswordStep({ onDone, onCode }: { onDone: (session: Session) => void; onCode: () => void }) {
  const { ended } = useSearch({ from: '/sign-in' });
  const form = useForm({ email: '', password: '' });
  const signIn = async () => {
    const body = { ...form.values, email: form.values.email.trim() };
    type Result = Session | { twoFactorRedirect: true };
    const result = await request<Result>('POST', '/admin/auth/sign-in/email', { body });
    if ('twoFactorRedirect' in result) onCode();
    else onDone(result);
  };
  const usePasskey = async () => {
    const session = await signInWithPasskey();
    if (session !== undefined) onDone(session);
  };

  return (
    <Entry title="Sign in" below={<Help />}>
      <Form form={form} onSubmit={signIn}>
        {ended !== undefined && (
          <Alert variant="light" title="Your session expired">
            Sign in again to continue; any unsaved draft is kept. If you can’t sign in, ask an administrator whether you
            were removed from the account.
          </Alert>
        )}
        <TextInput label="E-mail" type="email" autoComplete="username" autoFocus {...form.bind('email')} />
        <PasswordField label="Password" autoComplete="current-password" {...form.bind('password')} />
        <Button variant="filled" type="submit" loading={form.isBusy} fullWidth mt={4}>
          Sign in
        </Button>
        {canUsePasskeys() && (
          <Button disabled={form.isBusy} fullWidth onClick={() => form.submit(usePasskey)}>
            Use a passkey
          </Button>
        )}
      </Form>
    </Entry>
  );
}

/** The second step of two-step sign-in. */
function CodeStep({ onDone, onBack }: { onDone: (session: Session) => void; onBack: () => void }) {
  const [isRecovery, setRecovery] = useState(false);
  const form = useForm({ code: '' });
  const verify = async () => {
    const step = isRecovery ? 'verify-backup-code' : 'verify-totp';
    const body = { code: form.values.code.trim() };
    onDone(await request<Session>('POST', `/admin/auth/two-factor/${step}`, { body }));
  };
  const change = () => {
    setRecovery(!isRecovery);
    form.clear();
  };
  const back = (
    <Anchor component="button" size="sm" onClick={onBack}>
      Back
    </Anchor>
  );

  return (
    <Entry title={isRecovery ? 'Use a recovery code' : 'Enter your code'} below={back}>
      <Form form={form} onSubmit={verify}>
        <TextInput
          key={String(isRecovery)}
          label={isRecovery ? 'Recovery code' : 'Code'}
          description={
            isRecovery
              ? 'One of the codes that you saved when you turned on two-step sign-in.'
              : 'The six-digit code from your authenticator app.'
          }
          autoComplete="one-time-code"
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoFocus
          {...form.bind('code')}
        />
        <Button variant="filled" type="submit" loading={form.isBusy} fullWidth>
          Continue
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={change}>
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </Anchor>
      </Form>
    </Entry>
  );
}

/** Points to the setup link until the first administrator exists. */
function Help() {
  const { data: setup } = useQuery(setupQuery);
  if (setup?.isOpen) {
    return (
      <Alert variant="light" title="Set up Property Listings first" ta="start">
        <Text size="sm">
          Open the setup link that the service printed when it started. <LinkFile setup={setup} />
        </Text>
      </Alert>
    );
  }
  return (
    <Stack gap={4}>
      <span>New here? Ask an administrator for an invitation.</span>
      <span>
        Forgot your password? Ask the operator of this service to run <Code>administrators reset-password</Code>.
      </span>
    </Stack>
  );
}
