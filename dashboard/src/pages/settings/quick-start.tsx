import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { CopyIcon } from '../../parts/copy-button';
import { SAMPLES, type SampleName } from './samples';

interface QuickStartProps {
  /** A new key, or a placeholder. */
  apiKey: string;
  isReadOnly?: boolean;
}

/** Shows code for a first request in several languages, with the address of this service. */
export function QuickStart({ apiKey, isReadOnly = false }: QuickStartProps) {
  const [name, setName] = useState<SampleName>('curl');
  const shown = useRef<HTMLElement>(null);
  const { install, code } = SAMPLES[name]({ apiKey, origin: window.location.origin, isReadOnly });
  return (
    <Stack gap={8}>
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          className="languages"
          aria-label="Language"
          data={Object.keys(SAMPLES)}
          value={name}
          onChange={(value) => setName(isSampleName(value) ? value : 'curl')}
        />
        <CopyIcon text={code} shown={shown} label={`Copy the ${name} example`} />
      </Group>
      {install !== undefined && (
        <Text size="sm" c="dimmed">
          Install the package first: <code>{install}</code>
        </Text>
      )}
      <code className="secret" ref={shown}>
        {code}
      </code>
    </Stack>
  );
}

function isSampleName(name: string): name is SampleName {
  return name in SAMPLES;
}
