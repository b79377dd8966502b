import { Checkbox, NativeSelect, SimpleGrid, Stack, Textarea } from '@mantine/core';
import type { ReadingOptions } from '../../lib/columns';

export const DATES = [
  { value: '', label: '2026-03-04 only' },
  { value: 'mdy', label: 'Month first (03/04/2026 is March 4)' },
  { value: 'dmy', label: 'Day first (03/04/2026 is April 3)' },
];
export const DECIMALS = [
  { value: '', label: 'Unknown (267.500 is an error)' },
  { value: 'comma', label: 'Comma (267.500 is 267500)' },
  { value: 'point', label: 'Period (267.500 is 267.5)' },
];

interface ReadingFieldsProps {
  reading: ReadingOptions;
  onChange: (reading: ReadingOptions) => void;
}

export function ReadingFields({ reading, onChange }: ReadingFieldsProps) {
  const bind = (name: Exclude<keyof ReadingOptions, 'clean'>) => ({
    value: reading[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ ...reading, [name]: currentTarget.value }),
  });
  return (
    <Stack>
      <Checkbox
        label="Clean values"
        description="Accepts values such as $450,000 and 1,250 sq ft."
        checked={reading.clean}
        onChange={({ currentTarget }) => onChange({ ...reading, clean: currentTarget.checked })}
      />
      {reading.clean && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect label="Date format" data={DATES} {...bind('dates')} />
          <NativeSelect label="Decimal separator" data={DECIMALS} {...bind('decimal')} />
        </SimpleGrid>
      )}
      <WordFields bind={bind} />
    </Stack>
  );
}

/** The inputs for the meanings of words in the file, and for the default values of fields. */
export function WordFields({ bind }: { bind: (name: 'values' | 'defaults') => object }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Textarea
        label="Words"
        description="The value that each word stands for, one per line: field:word = value."
        placeholder="status:Under contract = pending"
        autosize
        minRows={2}
        maxRows={8}
        {...bind('values')}
      />
      <Textarea
        label="Default values"
        description="For rows without a value, one per line: field = value."
        placeholder="stateOrProvince = TX"
        autosize
        minRows={2}
        maxRows={8}
        {...bind('defaults')}
      />
    </SimpleGrid>
  );
}
