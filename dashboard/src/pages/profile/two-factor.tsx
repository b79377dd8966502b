import { Badge, Button, Group, Modal, TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import type { BackupCodes, Session, TwoFactor as TwoFactorSetup } from '../../api/admin';
import { request } from '../../api/client';
import { queryClient, sessionQuery } from '../../api/queries';
import { useForm } from '../../lib/use-form';
import { FormDialog, SECRET } from '../../parts/dialogs';
import { Section } from '../../parts/page';
import { PasswordField } from '../../parts/password-field';
import { useSession } from '../../shell/session';
import { RecoveryCodes, TurnOn } from './turn-on';

export function TwoFactor() {
  const { hasTwoFactor } = useSession().user;
  /** The action for which the user is entering the password. */
  const [asking, setAsking] = useState<'turn-on' | 'turn-off' | 'renew'>();
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setAsking(undefined);
  const closeCodes = () => setCodes(undefined);

  return (
    <Section
      title="Two-step sign-in"
      description="Asks for a code from an authenticator app after your password. Protects your account even if your password is stolen."
    >
      <Group className="card form-section" justify="space-between">
        <Badge variant={hasTwoFactor ? 'light' : 'default'} size="lg">
          {hasTwoFactor ? 'Enabled' : 'Disabled'}
        </Badge>
        <Group gap="xs">
          {hasTwoFactor && <Button onClick={() => setAsking('renew')}>New recovery codes</Button>}
          <Button onClick={() => setAsking(hasTwoFactor ? 'turn-off' : 'turn-on')}>
            {hasTwoFactor ? 'Turn off' : 'Turn on'}
          </Button>
        </Group>
      </Group>
      {/* Always mounted: a new session must not close a dialog that shows a secret. */}
      <PasswordDialog<TwoFactorSetup>
        title="Turn on two-step sign-in"
        path="two-factor/enable"
        isOpen={asking === 'turn-on'}
        onClose={close}
        onDone={setSetup}
      />
      <PasswordDialog<Session>
        title="Turn off two-step sign-in"
        path="two-factor/disable"
        needsCode
        isOpen={asking === 'turn-off'}
        onClose={close}
        onDone={(session) => queryClient.setQueryData(sessionQuery.queryKey, session)}
      />
      <PasswordDialog<BackupCodes>
        title="New recovery codes"
        path="two-factor/generate-backup-codes"
        needsCode
        isOpen={asking === 'renew'}
        onClose={close}
        onDone={({ backupCodes }) => setCodes(backupCodes)}
      />
      <TurnOn setup={setup} onClose={() => setSetup(undefined)} />
      <Modal opened={codes !== undefined} onClose={closeCodes} title="New recovery codes" {...SECRET}>
        <RecoveryCodes codes={codes ?? []} onDone={closeCodes} />
      </Modal>
    </Section>
  );
}

interface PasswordDialogProps<Result> {
  title: string;
  /** The path below `/admin/auth/`. */
  path: string;
  /** Whether the dialog also asks for a second-factor code or a recovery code. */
  needsCode?: boolean;
  isOpen: boolean;
  onClose: () => void;
  onDone: (result: Result) => void;
}

/** Asks the user for the password again and, while two-step sign-in is on, for a code. */
function PasswordDialog<Result>(props: PasswordDialogProps<Result>) {
  const { title, path, needsCode = false, isOpen, onClose, onDone } = props;
  const form = useForm<string>(needsCode ? { password: '', code: '' } : { password: '' });
  const confirm = async () => {
    const body = { ...form.values, code: form.values.code?.trim() };
    const result = await request<Result>('POST', `/admin/auth/${path}`, { body });
    onClose();
    onDone(result);
  };
  return (
    <FormDialog title={title} form={form} isOpen={isOpen} onClose={onClose} action="Continue" onSubmit={confirm}>
      <PasswordField label="Password" data-autofocus autoComplete="current-password" {...form.bind('password')} />
      {needsCode && <CodeField {...form.bind('code')} />}
    </FormDialog>
  );
}

export function CodeField(props: TextInputProps) {
  return (
    <TextInput
      label="Code"
      description="The six-digit code from your authenticator app, or a recovery code."
      autoComplete="one-time-code"
      {...props}
    />
  );
}
