import { Button, Group, Progress, Stack, Text } from '@mantine/core';

interface UploadProgressProps {
  label: string;
  /** 0 to 1. */
  fraction: number;
  /** What happens once the file is uploaded. */
  next: string;
  onStop: () => void;
}

/** How much of a file is uploaded, with a button to stop. */
export function UploadProgress({ label, fraction, next, onStop }: UploadProgressProps) {
  const percent = Math.round(fraction * 100);
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Progress value={percent} aria-label={label} animated={percent === 100} />
        <Text size="sm" c="dimmed" role="status">
          {percent < 100 ? `${percent}% uploaded` : `Uploaded. ${next}`}
        </Text>
      </Stack>
      <Button size="xs" variant="default" onClick={onStop}>
        Stop
      </Button>
    </Group>
  );
}
