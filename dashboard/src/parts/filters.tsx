import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ChangeEvent, useEffect, useState } from 'react';

/** The filter is applied when the user has not typed for this long. */
const TYPING_MS = 300;

interface FilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

type Choices = Record<string, string>;

/** A filter with choices by value; the first choice means no filter. */
export function SelectFilter({ label, value = '', onChange, choices }: FilterProps & { choices: Choices }) {
  const data = Object.entries(choices).map(([choice, text]) => ({ value: choice, label: text }));
  // A value from a link is not necessarily one of the choices.
  if (!Object.hasOwn(choices, value)) data.push({ value, label: value });
  return (
    <NativeSelect
      size="xs"
      label={label}
      data={data}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}

export function TextFilter({ label, placeholder, ...filter }: FilterProps & { placeholder: string }) {
  return <TextInput size="xs" label={label} placeholder={placeholder} {...useTyped(filter)} />;
}

/** A day in the user's time zone, such as `2026-01-31`. */
export function DateFilter({ label, ...filter }: FilterProps) {
  return <TextInput size="xs" type="date" label={label} {...useTyped(filter, isWholeDate)} />;
}

/** False for dates in years such as 0002, which browsers report while the user is still typing the year. */
function isWholeDate(text: string): boolean {
  return text === '' || text >= '1000';
}

function useTyped({ value = '', onChange }: Omit<FilterProps, 'label'>, isWhole = (_: string) => true) {
  const [typed, setTyped] = useState(value);
  const apply = useDebouncedCallback((text: string) => onChange(text || undefined), TYPING_MS);
  // Show the value from the URL after the user presses the back button.
  useEffect(() => setTyped(value), [value]);
  return {
    value: typed,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
      setTyped(currentTarget.value);
      const text = currentTarget.value.trim();
      if (isWhole(text)) apply(text);
      else apply.cancel();
    },
  };
}
