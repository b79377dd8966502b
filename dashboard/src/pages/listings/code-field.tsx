import { type MantineStyleProp, Select } from '@mantine/core';
import { useState } from 'react';
import { codesOf } from './codes';

interface CodeFieldProps {
  name: string;
  label: string;
  value: string;
  error: string | undefined;
  style: MantineStyleProp;
  placeholder: string | undefined;
  onChange: (code: string) => void;
}

/**
 * A searchable list of currencies or countries. The user can also type a code, or the beginning of a name if
 * only one name begins that way.
 */
export function CodeField({ name, label, value, onChange, ...rest }: CodeFieldProps) {
  const choices = codesOf(name);
  const [typed, setTyped] = useState('');
  const chooseTyped = () => {
    const words = typed.trim().toLowerCase();
    if (words === '' || choices.some((choice) => choice.label === typed)) return;
    const exact = choices.find((choice) => choice.value.toLowerCase() === words);
    const beginning = choices.filter((choice) => choice.label.toLowerCase().startsWith(words));
    const found = exact ?? (beginning.length === 1 ? beginning[0] : undefined);
    if (found !== undefined) onChange(found.value);
  };
  return (
    <Select
      {...rest}
      label={label}
      data={choices}
      value={value === '' ? null : value}
      onChange={(code) => onChange(code ?? '')}
      onSearchChange={setTyped}
      onBlur={chooseTyped}
      searchable
      clearable
      selectFirstOptionOnChange
      openOnFocus={false}
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      nothingFoundMessage="Not found"
      comboboxProps={{ withinPortal: false }}
      maxDropdownHeight={240}
    />
  );
}
