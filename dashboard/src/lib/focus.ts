/** Brings a note into view; the keyboard goes there unless somebody is in a field, where they will mend it. */
export function showNote(note: HTMLElement | null): void {
  note?.scrollIntoView({ block: 'center' });
  if (!document.activeElement?.matches('input, select, textarea')) note?.focus({ preventScroll: true });
}

/** For when what had the focus is gone: it goes to what takes its place, or Tab begins in the page. */
export function focusPage(place?: HTMLElement | null): void {
  const target = place ?? document.getElementById('main');
  target?.focus({ preventScroll: target.id === 'main' });
}
