import { Button, Group, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { CopyButton, CopyIcon } from '../../parts/copy-button';

/** The key, this once. */
export function ShowApiKey({ apiKey, onDone }: { apiKey: string; onDone: () => void }) {
  const shownKey = useRef<HTMLElement>(null);
  const shownLine = useRef<HTMLElement>(null);
  const line = curlLine(apiKey);
  return (
    <Stack>
      <Text size="sm">
        Copy it now and keep it where your program finds it: <strong>it will not be shown again.</strong>
      </Text>
      <Stack gap="xs">
        <code className="secret" ref={shownKey} data-testid="api-key">
          {apiKey}
        </code>
        <Group gap="sm">
          <CopyButton text={apiKey} shown={shownKey} />
        </Group>
      </Stack>
      <Stack gap={6} mt="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={500}>
            Try it in a terminal
          </Text>
          <CopyIcon text={line} shown={shownLine} label="Put the curl line on the clipboard" />
        </Group>
        <code className="secret" ref={shownLine}>
          {line}
        </code>
      </Stack>
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** Creates a listing at once, so that one sees the whole way. */
export function curlLine(apiKey: string): string {
  return [
    `curl ${window.location.origin}/v1/listings`,
    `-H "Authorization: Bearer ${apiKey}"`,
    `-H "Content-Type: application/json"`,
    `-d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
  ].join(' \\\n  ');
}
