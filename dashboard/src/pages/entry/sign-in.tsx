import { Alert, Anchor, Button, Code, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/client';
import { setupQuery } from '../../api/queries';
import type { Session } from '../../api/types';
import { useFaults } from '../../lib/faults';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
import { PasswordField } from '../../parts/password-field';
import { Entry, useEnter } from './entry';

export function SignInPage() {
  const [needsCode, setNeedsCode] = useState(false);
  const { next } = useSearch({ from: '/sign-in' });
  const enter = useEnter();
  const proceed = (session: Session) => enter(session, next);

  if (needsCode) return <CodeStep onDone={proceed} onBack={() => setNeedsCode(false)} />;
  return <PasswordStep onDone={proceed} onCode={() => setNeedsCode(true)} />;
}

/** What else signing in may answer. */
interface TwoFactorRedirect {
  twoFactorRedirect: true;
}

function PasswordStep({ onDone, onCode }: { onDone: (session: Session) => void; onCode: () => void }) {
  const { ended } = useSearch({ from: '/sign-in' });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { faults, isBusy, submit } = useFaults((field) => field === 'email' || field === 'password');

  const signIn = () =>
    submit(async () => {
      const reply = await request<Session | TwoFactorRedirect>('POST', '/admin/auth/sign-in/email', {
        body: { email: email.trim(), password },
      });
      if ('twoFactorRedirect' in reply) onCode();
      else onDone(reply);
    });

  return (
    <Entry title="Sign in" below={<FirstSetup />}>
      <Form onSubmit={signIn}>
        <Stack>
          {ended !== undefined && <Ended />}
          <FormError>{faults.general}</FormError>
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            error={faults.fields.email}
          />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            error={faults.fields.password}
          />
          <Button type="submit" loading={isBusy} fullWidth mt={4}>
            Sign in
          </Button>
        </Stack>
      </Form>
    </Entry>
  );
}

/** Whoever was inside and is not any more is told; why, nobody but the person knows here. */
function Ended() {
  return (
    <Alert variant="light" title="You were signed out">
      Your sign-in was ended, or its time is over. If it is refused below, you may have been removed from the account:
      ask an administrator for a new invitation.
    </Alert>
  );
}

/** The second step of those who have an authenticator app. */
function CodeStep({ onDone, onBack }: { onDone: (session: Session) => void; onBack: () => void }) {
  const [code, setCode] = useState('');
  const [isRecovery, setRecovery] = useState(false);
  const { faults, isBusy, submit, clear } = useFaults((field) => field === 'code');

  const verify = () =>
    submit(async () => {
      const step = isRecovery ? 'verify-backup-code' : 'verify-totp';
      const body = { code: code.trim() };
      onDone(await request<Session>('POST', `/admin/auth/two-factor/${step}`, { body }));
    });
  const change = () => {
    setRecovery(!isRecovery);
    setCode('');
    clear();
  };

  return (
    <Entry
      title={isRecovery ? 'Use a recovery code' : 'Enter your code'}
      below={
        <Anchor component="button" size="sm" onClick={onBack}>
          Back
        </Anchor>
      }
    >
      <Form onSubmit={verify}>
        <Stack>
          <FormError>{faults.general}</FormError>
          <TextInput
            key={String(isRecovery)}
            label={isRecovery ? 'Recovery code' : 'Code'}
            description={
              isRecovery
                ? 'One of those you kept when you turned this on.'
                : 'The six digits in your authenticator app.'
            }
            autoComplete="one-time-code"
            inputMode={isRecovery ? 'text' : 'numeric'}
            autoFocus
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
            error={faults.fields.code}
          />
          <Button type="submit" loading={isBusy} fullWidth>
            Continue
          </Button>
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
          </Anchor>
        </Stack>
      </Form>
    </Entry>
  );
}

/** While nobody can sign in yet, the page says where the first one finds the way. */
function FirstSetup() {
  const { data: setup } = useQuery(setupQuery);
  if (!setup?.isOpen) return <Help />;
  return (
    <Alert variant="light" title="Nobody has been set up yet" ta="start">
      <Text size="sm">
        Open the setup link that the service printed when it was started.
        {setup.file !== null && (
          <>
            {' '}
            It also stands in <Code>{setup.file}</Code> in the data directory.
          </>
        )}
      </Text>
    </Alert>
  );
}

function Help() {
  return (
    <Stack gap={4}>
      <span>New here? Ask an administrator of your account for an invitation.</span>
      <span>
        Forgotten how to sign in? Ask whoever runs this service: <Code>administrators reset-password</Code> helps.
      </span>
    </Stack>
  );
}
