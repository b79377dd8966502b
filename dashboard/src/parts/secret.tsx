import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { CopyButton } from './copy-button';

interface SecretProps {
  text: string;
  description: ReactNode;
  onDone: () => void;
  children?: ReactNode;
}

/** A secret that is shown only once, with a button to copy it. */
export function Secret({ text, description, onDone, children }: SecretProps) {
  const shown = useRef<HTMLElement>(null);
  return (
    <Stack>
      <Text size="sm">{description}</Text>
      <Stack gap="xs">
        <code className="secret" ref={shown} data-testid="secret">
          {text}
        </code>
        <Group gap="sm">
          <CopyButton text={text} shown={shown} />
        </Group>
      </Stack>
      {children}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
