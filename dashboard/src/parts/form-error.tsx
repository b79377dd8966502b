import { Alert } from '@mantine/core';
import { CircleAlert } from 'lucide-react';

/** What the service said of a form as a whole. */
export function FormError({ children }: { children: string | undefined }) {
  if (children === undefined) return null;
  return (
    <Alert color="red" variant="light" icon={<CircleAlert size={18} />} role="alert" className="form-error">
      {children}
    </Alert>
  );
}
