import { Button, Group, Progress, Stack, Text } from '@mantine/core';

interface UploadProgressProps {
  label: string;
  /** How much is done, from 0 to 1. */
  fraction: number;
  children: string;
  onStop: () => void;
}

/** How far an upload or an import is, with a button to stop. */
export function UploadProgress({ label, fraction, children, onStop }: UploadProgressProps) {
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Progress value={fraction * 100} aria-label={label} animated={fraction === 1} />
        <Text size="sm" c="dimmed" role="status">
          {children}
        </Text>
      </Stack>
      <Button size="xs" variant="default" onClick={onStop}>
        Stop
      </Button>
    </Group>
  );
}

/** The progress of a file that is being sent; once it has been sent, `next` says what happens then. */
export function describeUpload(fraction: number, next: string): string {
  return fraction < 1 ? `${Math.round(fraction * 100)}% uploaded` : `Uploaded. ${next}`;
}
