import { Alert } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { showNote } from '../lib/focus';

/** What the service said of a form as a whole. */
export function FormError({ children }: { children: string | undefined }) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (children !== undefined) showNote(alert.current);
  }, [children]);
  if (children === undefined) return null;
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      color="red"
      variant="light"
      icon={<CircleAlert size={18} />}
      role="alert"
      className="form-error"
    >
      {children}
    </Alert>
  );
}
