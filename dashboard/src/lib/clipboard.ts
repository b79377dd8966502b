/**
 * Copies a string to the clipboard. On pages without HTTPS that are not on localhost, browsers offer only a
 * deprecated command.
 * @returns whether the string was copied
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Add the input to an open dialog: outside it, the dialog's focus trap would take the focus back.
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    // There is no clipboard.
  }
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}

/** Selects an element's text so that the user can copy it with the keyboard. */
export function selectContents(element: Element | null): void {
  if (element !== null) getSelection()?.selectAllChildren(element);
}
