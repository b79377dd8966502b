import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { CopyButton } from '../../parts/copy-button';

/** Each signs in once when the phone is lost. */
export function RecoveryCodes({ codes }: { codes: string[] }) {
  const shown = useRef<HTMLElement>(null);
  return (
    <Stack gap="xs">
      <Text size="sm">
        Keep these recovery codes where you find them without your phone. Each signs you in once.{' '}
        <strong>They will not be shown again.</strong>
      </Text>
      <code className="secret" ref={shown}>
        {codes.join('\n')}
      </code>
      <Group gap="sm">
        <CopyButton text={codes.join('\n')} shown={shown} />
      </Group>
    </Stack>
  );
}

export function ShowRecoveryCodes({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  return (
    <Modal opened={codes !== undefined} onClose={onClose} title="New recovery codes">
      <Stack>
        <RecoveryCodes codes={codes ?? []} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
