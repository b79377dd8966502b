import { Button, Group, Progress, Stack, Text } from '@mantine/core';

interface UploadProgressProps {
  label: string;
  /** How much is done, from 0 to 1. */
  fraction: number;
  children: string;
  onStop: () => void;
}

/** The progress of an upload or an import, with a button that stops it. */
export function UploadProgress({ label, fraction, children, onStop }: UploadProgressProps) {
  return (
    <Group gap="md" wrap="nowrap">
      <Stack gap={6} flex={1}>
        <Progress value={fraction * 100} aria-label={label} animated={fraction === 1} />
        <Text size="sm" c="dimmed" role="status">
          {children}
        </Text>
      </Stack>
      <Button size="xs" onClick={onStop}>
        Stop
      </Button>
    </Group>
  );
}

/** Describes the progress of a file that is being sent. Once it has been sent, `next` says what the service does. */
export function describeUpload(fraction: number, next: string): string {
  return fraction < 1 ? `${Math.round(fraction * 100)}% uploaded` : `Uploaded. ${next}`;
}

/** The steps of a task; finished ones are marked. `current` is the index of the current step. */
export function Steps({ names, current }: { names: readonly string[]; current: number }) {
  return (
    <ol className="steps">
      {names.map((name, index) => (
        <li key={name} aria-current={index === current ? 'step' : undefined} data-done={index < current || undefined}>
          <span aria-hidden>{index + 1}</span>
          {name}
        </li>
      ))}
    </ol>
  );
}
