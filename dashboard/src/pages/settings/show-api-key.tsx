import { Button, Group, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import type { ApiKey } from '../../api/types';
import { CopyButton, CopyIcon } from '../../parts/copy-button';

/** A key that was just made. */
export interface MadeKey {
  key: string;
  access: ApiKey['access'];
}

/** The key, this once. */
export function ShowApiKey({ made: { key, access }, onDone }: { made: MadeKey; onDone: () => void }) {
  const shownKey = useRef<HTMLElement>(null);
  const shownLine = useRef<HTMLElement>(null);
  const line = access === 'read' ? readLine(key) : createLine(key);
  return (
    <Stack>
      <Text size="sm">
        Copy it now and keep it where your program finds it: <strong>it will not be shown again.</strong>
      </Text>
      <Stack gap="xs">
        <code className="secret" ref={shownKey} data-testid="api-key">
          {key}
        </code>
        <Group gap="sm">
          <CopyButton text={key} shown={shownKey} />
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
export function createLine(apiKey: string): string {
  return [
    `curl ${window.location.origin}/v1/listings`,
    `-H "Authorization: Bearer ${apiKey}"`,
    `-H "Content-Type: application/json"`,
    `-d '{"address":"12 Elm Street","beds":3,"baths":2}'`,
  ].join(' \\\n  ');
}

/** Quoted: shells have other plans with a question mark. */
function readLine(apiKey: string): string {
  return [`curl "${window.location.origin}/v1/listings?limit=10"`, `-H "Authorization: Bearer ${apiKey}"`].join(
    ' \\\n  ',
  );
}
