/** Brings a note into view; the keyboard goes there unless somebody is in a field, where they will mend it. */
export function showNote(note: HTMLElement | null): void {
  note?.scrollIntoView({ block: 'center' });
  if (!document.activeElement?.matches('input, select, textarea')) note?.focus({ preventScroll: true });
}

/** For when what had the focus is gone: Tab begins in the page, not before the navigation. */
export function focusPage(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}
