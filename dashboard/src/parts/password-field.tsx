import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A password; what was found wrong with it is said of the field itself, which Mantine only does for the box around it. */
export function PasswordField({ error, ...rest }: PasswordInputProps) {
  return (
    <PasswordInput
      {...rest}
      error={error}
      aria-invalid={error ? true : undefined}
      // Not "password": labels are how people and programs find the field.
      visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
    />
  );
}

/** A password that is being chosen. */
export function NewPasswordField(props: PasswordInputProps) {
  return (
    <PasswordField
      description="At least 8 characters; several words are best."
      autoComplete="new-password"
      {...props}
    />
  );
}
