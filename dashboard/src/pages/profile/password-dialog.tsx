import { useState } from 'react';
import { request } from '../../api/client';
import { useFaults } from '../../lib/faults';
import { DialogForm, FormDialog } from '../../parts/form-dialog';
import { PasswordField } from '../../parts/password-field';

interface PasswordDialogProps<Reply> {
  title: string;
  /** What is asked of the service, below `/admin/auth/`. */
  verb: string;
  isOpen: boolean;
  onClose: () => void;
  onDone: (reply: Reply) => void;
}

/** What changes the way one signs in asks for the password once more. */
export function PasswordDialog<Reply>({ title, verb, isOpen, onClose, onDone }: PasswordDialogProps<Reply>) {
  const [password, setPassword] = useState('');
  const sending = useFaults((field) => field === 'password');
  const close = () => {
    setPassword('');
    sending.clear();
    onClose();
  };
  const confirm = () =>
    sending.submit(async () => {
      const reply = await request<Reply>('POST', `/admin/auth/${verb}`, { body: { password } });
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
      </DialogForm>
    </FormDialog>
  );
}
