import { Checkbox, SimpleGrid } from '@mantine/core';
import { formatChoice } from '../../lib/format';

interface ChoicesProps {
  label: string;
  values: readonly string[];
  /** With commas between them. */
  chosen: string | undefined;
  onChange: (chosen: string) => void;
}

/** Some of a few values. */
export function Choices({ label, values, chosen = '', onChange }: ChoicesProps) {
  return (
    <Checkbox.Group
      label={label}
      size="xs"
      value={chosen === '' ? [] : chosen.split(',')}
      onChange={(next) => onChange(next.join(','))}
    >
      <SimpleGrid cols={2} spacing="xs" verticalSpacing={6} mt={6}>
        {values.map((value) => (
          <Checkbox key={value} size="xs" value={value} label={formatChoice(value)} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}
