/** Scrolls a note into view and focuses it, unless a field that needs a correction has the focus. */
export function showNote(note: HTMLElement | null): void {
  note?.scrollIntoView({ block: 'center' });
  if (!document.activeElement?.matches('input, select, textarea')) note?.focus({ preventScroll: true });
}

/** Moves the focus when the focused element disappears: to `place`, else to the page. */
export function focusPage(place?: HTMLElement | null): void {
  const target = place ?? document.getElementById('main');
  target?.focus({ preventScroll: target.id === 'main' });
}
