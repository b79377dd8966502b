import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { useFaults } from '../../lib/faults';
import { DialogForm, FormDialog } from '../../parts/form-dialog';
import { PasswordField } from '../../parts/password-field';

interface PasswordDialogProps<Reply> {
  title: string;
  /** What is asked of the service, below `/admin/auth/`. */
  verb: string;
  /** Whether a code is asked for, too. */
  asksCode?: boolean;
  isOpen: boolean;
  onClose: () => void;
  onDone: (reply: Reply) => void;
}

/** What changes the way one signs in asks for the password once more, and for a code where two-step sign-in is on. */
export function PasswordDialog<Reply>({
  title,
  verb,
  asksCode = false,
  isOpen,
  onClose,
  onDone,
}: PasswordDialogProps<Reply>) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const sending = useFaults((field) => field === 'password' || (asksCode && field === 'code'));
  const close = () => {
    setPassword('');
    setCode('');
    sending.clear();
    onClose();
  };
  const confirm = () =>
    sending.submit(async () => {
      const body = asksCode ? { password, code: code.trim() } : { password };
      const reply = await request<Reply>('POST', `/admin/auth/${verb}`, { body });
      close();
      onDone(reply);
    });
  return (
    <FormDialog title={title} isBusy={sending.isBusy} isOpen={isOpen} onClose={close}>
      <DialogForm action="Continue" sending={sending} onSubmit={confirm} onCancel={close}>
        <PasswordField
          label="Password"
          data-autofocus
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={sending.faults.fields.password}
        />
        {asksCode && (
          <TextInput
            label="Code"
            description="The six digits that the app shows now, or a recovery code."
            autoComplete="one-time-code"
            value={code}
            onChange={({ currentTarget }) => setCode(currentTarget.value)}
            error={sending.faults.fields.code}
          />
        )}
      </DialogForm>
    </FormDialog>
  );
}
