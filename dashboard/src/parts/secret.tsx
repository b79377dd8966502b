import { Button, Group, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';
import { CopyButton } from './copy-button';

interface SecretProps {
  text: string;
  description: ReactNode;
  onDone: () => void;
  children?: ReactNode;
}

/**
 * A secret that is shown only once. Escape closes the dialog only after the user has pressed Copy, and a click
 * outside never closes it.
 */
export function Secret({ text, description, onDone, children }: SecretProps) {
  const shown = useRef<HTMLElement>(null);
  const [isCopied, setCopied] = useState(false);
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && isCopied && onDone());
  return (
    <Stack>
      <Text size="sm">{description}</Text>
      <Stack gap="xs">
        <code className="secret" ref={shown} data-testid="secret">
          {text}
        </code>
        <Group gap="sm">
          <CopyButton text={text} shown={shown} onCopied={() => setCopied(true)} />
        </Group>
      </Stack>
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}
