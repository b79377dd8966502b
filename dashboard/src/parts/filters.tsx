import { NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';

/** A pause in typing of this length applies a filter. */
const TYPING_MS = 300;

interface FilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Choices by value; the first one is for no filter. */
export function SelectFilter({
  label,
  value = '',
  onChange,
  choices,
}: FilterProps & { choices: Record<string, string> }) {
  const data = Object.entries(choices).map(([choice, text]) => ({ value: choice, label: text }));
  // A value from a link need not be one of the choices.
  if (choices[value] === undefined) data.push({ value, label: value });
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

/** A day in the user's time zone, such as `2026-01-31`. */
export function DateFilter({ label, value = '', onChange }: FilterProps) {
  return (
    <TextInput
      size="xs"
      type="date"
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}

export function TextFilter({ label, value = '', onChange, placeholder }: FilterProps & { placeholder: string }) {
  const [typed, setTyped] = useState(value);
  const apply = useDebouncedCallback((text: string) => onChange(text.trim() || undefined), TYPING_MS);
  // Follows the back button.
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder={placeholder}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        apply(currentTarget.value);
      }}
    />
  );
}
