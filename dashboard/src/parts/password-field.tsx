import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** Sets `aria-invalid` on the input itself, because Mantine sets it only on the box around the input. */
export function PasswordField({ error, ...rest }: PasswordInputProps) {
  return (
    <PasswordInput
      {...rest}
      error={error}
      aria-invalid={error ? true : undefined}
      // The label must not contain the word "password": a lookup of the label "Password" would find two elements.
      visibilityToggleButtonProps={{ 'aria-label': 'Show text' }}
    />
  );
}

export function NewPasswordField(props: PasswordInputProps) {
  return (
    <PasswordField description="At least 8 characters. Use several words." autoComplete="new-password" {...props} />
  );
}
