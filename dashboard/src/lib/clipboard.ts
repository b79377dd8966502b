/**
 * Puts a text on the clipboard. Over plain HTTP browsers have the new interface on localhost only; the old one works
 * everywhere but is on its way out, so both may fail.
 * @returns whether it is there
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
  // Within the dialog that is open, or its focus trap would take the focus back.
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand('copy');
  } catch {
    // There is no clipboard at all.
  }
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}

/** Selects what an element shows, for the person to copy it with the keyboard. */
export function selectContents(element: Element | null): void {
  if (element === null) return;
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}
