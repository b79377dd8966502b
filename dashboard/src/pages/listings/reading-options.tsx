import { Checkbox, Group, NativeSelect } from '@mantine/core';
import type { ReadingOptions } from '../../lib/columns';

export const DATES = [
  { value: '', label: '2026-03-04 only' },
  { value: 'mdy', label: 'Month first (03/04/2026 is March 4)' },
  { value: 'dmy', label: 'Day first (03/04/2026 is April 3)' },
];

interface ReadingFieldsProps {
  reading: ReadingOptions;
  onChange: (reading: ReadingOptions) => void;
}

/** How the values of a file are read. */
export function ReadingFields({ reading, onChange }: ReadingFieldsProps) {
  return (
    <Group gap="lg" align="flex-start">
      <Checkbox
        flex="1 1 240px"
        label="Clean values"
        description="Accepts values such as $450,000 and 1,250 sq ft."
        checked={reading.clean}
        onChange={({ currentTarget }) => onChange({ ...reading, clean: currentTarget.checked })}
      />
      {reading.clean && (
        <NativeSelect
          label="Date format"
          data={DATES}
          value={reading.dates}
          onChange={({ currentTarget }) => onChange({ ...reading, dates: currentTarget.value })}
        />
      )}
    </Group>
  );
}
