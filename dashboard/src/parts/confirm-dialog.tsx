import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface ConfirmDialogProps {
  title: string;
  /** What the button says that does it. */
  action: string;
  isOpen: boolean;
  onClose: () => void;
  /** Its error stays in the dialog. */
  onConfirm: () => Promise<void>;
  children: ReactNode;
}

/** Asks before something that cannot be undone; nothing has to be typed. */
export function ConfirmDialog({ title, action, isOpen, onClose, onConfirm, children }: ConfirmDialogProps) {
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
      document.getElementById('main')?.focus({ preventScroll: true });
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <Stack gap="md">
        {children}
        {error !== undefined && (
          <Text c="error" size="sm" role="alert">
            {error}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red.8" onClick={confirm} loading={isBusy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
