import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Sending } from '../lib/faults';
import { Form } from './form';
import { FormError } from './form-error';

interface FormDialogProps {
  title: string;
  size?: number;
  isBusy: boolean;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A dialog with a form, and perhaps with what comes of it. It stays while the form is being sent: what comes back may be
 * shown this once.
 */
export function FormDialog({ title, size = 440, isBusy, isOpen, onClose, children }: FormDialogProps) {
  return (
    <Modal opened={isOpen} onClose={() => !isBusy && onClose()} title={title} size={size}>
      {children}
    </Modal>
  );
}

interface DialogFormProps {
  /** What the button says that sends it. */
  action: string;
  sending: Sending;
  onSubmit: () => Promise<void>;
  onCancel: () => void;
  children: ReactNode;
}

/** The form itself: what is wrong with it as a whole, its fields, and its two buttons. */
export function DialogForm({ action, sending: { faults, isBusy }, onSubmit, onCancel, children }: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit}>
      <Stack>
        <FormError>{faults.general}</FormError>
        {children}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={isBusy}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
