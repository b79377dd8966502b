import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { focusPage } from '../lib/focus';
import { FormDialog } from './form-dialog';

interface ConfirmDialogProps {
  title: string;
  /** What the button says that does it. */
  action: string;
  isOpen: boolean;
  /** Whether there is nothing left to confirm. */
  isMoot?: boolean;
  onClose: () => void;
  /** Its error stays in the dialog. */
  onConfirm: () => Promise<void>;
  children: ReactNode;
}

/** Asks before something that cannot be undone; nothing has to be typed. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, isOpen, isMoot = false, onClose, onConfirm, children } = props;
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const close = () => {
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      close();
      // The button that opened it may be gone with what was deleted: the keyboard goes on in the page.
      focusPage();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <FormDialog title={title} isBusy={isBusy} isOpen={isOpen} onClose={close}>
      <Stack gap="md">
        {children}
        {error !== undefined && (
          <Text c="error" size="sm" role="alert">
            {error}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus disabled={isBusy}>
            {isMoot ? 'Close' : 'Cancel'}
          </Button>
          {!isMoot && (
            <Button color="red.8" onClick={confirm} loading={isBusy}>
              {action}
            </Button>
          )}
        </Group>
      </Stack>
    </FormDialog>
  );
}
