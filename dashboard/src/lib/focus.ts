/** Scrolls a note into view and, unless an input has the focus, focuses the note. */
export function showNote(note: HTMLElement | null): void {
  note?.scrollIntoView({ block: 'center' });
  if (!document.activeElement?.matches('input, select, textarea')) note?.focus({ preventScroll: true });
}

/** Moves the focus to `place` or, without it, to the main content. Call this when the focused element disappears. */
export function focusPage(place?: HTMLElement | null): void {
  const target = place ?? document.getElementById('main');
  target?.focus({ preventScroll: target.id === 'main' });
}
