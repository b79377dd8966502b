import { Alert, Stack } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { showNote } from '../lib/focus';
import type { Submission } from '../lib/use-form';

interface FormProps {
  form: Pick<Submission, 'errors' | 'submit'>;
  onSubmit: () => Promise<void>;
  gap?: string;
  maxWidth?: number;
  children: ReactNode;
}

/** A form with its general error at the top. The service, not the browser, validates the input. */
export function Form({ form: { errors, submit }, onSubmit, gap = 'md', maxWidth, children }: FormProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // In React, events from a dialog also reach the form that renders the dialog.
        event.stopPropagation();
        void submit(onSubmit);
      }}
    >
      <Stack gap={gap} maw={maxWidth}>
        <ErrorNote>{errors.general}</ErrorNote>
        {children}
      </Stack>
    </form>
  );
}

export function ErrorNote({ children }: { children: string | undefined }) {
  return children === undefined ? null : <Note key={children}>{children}</Note>;
}

/** An alert that scrolls into view. */
export function Note({ color = 'red', title, children }: { color?: string; title?: string; children: ReactNode }) {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => showNote(alert.current), []);
  return (
    <Alert
      ref={alert}
      tabIndex={-1}
      role="alert"
      color={color}
      variant="light"
      icon={color === 'red' && <CircleAlert size={18} />}
      className="note"
      title={title}
    >
      {children}
    </Alert>
  );
}
