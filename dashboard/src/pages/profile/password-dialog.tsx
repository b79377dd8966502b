import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/client';
import { useFaults } from '../../lib/faults';
import { Form } from '../../parts/form';
import { FormError } from '../../parts/form-error';
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
  const { faults, isBusy, submit, clear } = useFaults((field) => field === 'password');
  const close = () => {
    setPassword('');
    clear();
    onClose();
  };
  const confirm = () =>
    submit(async () => {
      const reply = await request<Reply>('POST', `/admin/auth/${verb}`, { body: { password } });
      close();
      onDone(reply);
    });
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <Form onSubmit={confirm}>
        <Stack>
          <FormError>{faults.general}</FormError>
          <PasswordField
            label="Password"
            data-autofocus
            autoComplete="current-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            error={faults.fields.password}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy}>
              Continue
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
