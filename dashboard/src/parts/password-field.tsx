import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** Sets `aria-invalid` on the input itself: Mantine sets it only on the box around it. */
export function PasswordField({ error, ...rest }: PasswordInputProps) {
  return (
    <PasswordInput
      {...rest}
      error={error}
      aria-invalid={error ? true : undefined}
      // Avoids the word "password": two elements would match that label.
      visibilityToggleButtonProps={{ 'aria-label': 'Show text' }}
    />
  );
}

export function NewPasswordField(props: PasswordInputProps) {
  return (
    <PasswordField description="At least 8 characters. Use several words." autoComplete="new-password" {...props} />
  );
}
