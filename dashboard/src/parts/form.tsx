import type { ReactNode } from 'react';

/** A form that a script sends; the service checks what is in it, not the browser. */
export function Form({ onSubmit, children }: { onSubmit: () => Promise<void>; children: ReactNode }) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // Forms in dialogs are within other forms for React, though not on the page.
        event.stopPropagation();
        void onSubmit();
      }}
    >
      {children}
    </form>
  );
}
