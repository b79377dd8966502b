import { Alert, Button, Group, Text } from '@mantine/core';
import { focusPage } from '../../lib/focus';

/** Said when somebody comes back to what they were writing. */
export function DraftNote({ onDiscard }: { onDiscard: () => void }) {
  const discard = () => {
    onDiscard();
    focusPage();
  };
  return (
    <Alert variant="default" role="status">
      <Group justify="space-between" gap="sm">
        <Text size="sm">What you typed here before and did not save is still here.</Text>
        <Button size="xs" variant="default" onClick={discard}>
          Discard it
        </Button>
      </Group>
    </Alert>
  );
}
