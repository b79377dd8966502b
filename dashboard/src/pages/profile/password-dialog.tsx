import { TextInput, type TextInputProps } from '@mantine/core';
import { request } from '../../api/client';
import { useForm } from '../../lib/use-form';
import { FormDialog } from '../../parts/dialogs';
import { PasswordField } from '../../parts/password-field';

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
export function PasswordDialog<Result>(props: PasswordDialogProps<Result>) {
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
