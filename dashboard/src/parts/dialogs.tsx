import { Button, Group, Modal } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { focusPage } from '../lib/focus';
import { type Submission, useSubmit } from '../lib/use-form';
import { Form } from './form';

interface FormDialogProps {
  title: string;
  size?: number;
  form: Submission;
  isOpen: boolean;
  onClose: () => void;
  /** The label of the submit button; undefined if there is nothing to submit. */
  action: string | undefined;
  isDangerous?: boolean;
  /** Whether closing the dialog returns the focus to the button that opened it. */
  returnsFocus?: boolean;
  onSubmit: () => Promise<void>;
  /** Shown instead of the form after it has been submitted. */
  result?: ReactNode;
  children: ReactNode;
}

/**
 * Props of a dialog that shows a secret, which the user must not lose by accident. `Secret` determines how the
 * dialog can be closed.
 */
export const SECRET = { closeOnClickOutside: false, closeOnEscape: false };

/**
 * A dialog with a form. It stays open while the form is being submitted, because the response may contain a
 * secret that is shown only once.
 */
export function FormDialog(props: FormDialogProps) {
  const { title, size = 440, form, isOpen, onClose, action, isDangerous = false, onSubmit, result, children } = props;
  const { returnsFocus = true } = props;
  // A closed dialog keeps no input, which may be a password.
  const clear = useEffectEvent(form.clear);
  useEffect(() => {
    if (!isOpen) clear();
  }, [isOpen]);
  return (
    <Modal
      opened={isOpen}
      onClose={() => !form.isBusy && onClose()}
      returnFocus={returnsFocus}
      title={title}
      size={size}
      {...(result === undefined ? {} : SECRET)}
    >
      {result ?? (
        <Form form={form} onSubmit={onSubmit}>
          {children}
          <Group justify="flex-end" gap="xs">
            <Button onClick={onClose} disabled={form.isBusy} data-autofocus={isDangerous || undefined}>
              {action === undefined ? 'Close' : 'Cancel'}
            </Button>
            {action !== undefined && (
              <Button variant="filled" type="submit" loading={form.isBusy} {...(isDangerous && { color: 'red.8' })}>
                {action}
              </Button>
            )}
          </Group>
        </Form>
      )}
    </Modal>
  );
}

interface ConfirmDialogProps<Subject> {
  title: string;
  action: string | undefined;
  /** The object that the action affects. The dialog is closed while it is undefined. */
  subject: Subject | undefined;
  onClose: () => void;
  onConfirm: (subject: Subject) => Promise<void>;
  children: (subject: Subject) => ReactNode;
}

export function ConfirmDialog<Subject>(props: ConfirmDialogProps<Subject>) {
  const { subject, onClose, onConfirm, children, ...rest } = props;
  const form = useSubmit(() => false);
  // A confirmed action may remove the button that opened the dialog.
  const isConfirmed = useRef(false);
  const cancel = () => {
    isConfirmed.current = false;
    onClose();
  };
  const confirm = async () => {
    if (subject === undefined) return;
    const dialog = document.activeElement?.closest('[role="dialog"]');
    await onConfirm(subject);
    isConfirmed.current = true;
    onClose();
    const focused = document.activeElement;
    // The user may have opened the command palette in the meantime.
    if (focused === null || focused === document.body || dialog?.contains(focused)) focusPage();
  };
  return (
    <FormDialog
      {...rest}
      form={form}
      isOpen={subject !== undefined}
      returnsFocus={!isConfirmed.current}
      onClose={cancel}
      onSubmit={confirm}
      isDangerous
    >
      {subject !== undefined && children(subject)}
    </FormDialog>
  );
}
