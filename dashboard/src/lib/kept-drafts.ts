const PREFIX = 'draft ';

/** What was kept under this name in this tab of the browser; nothing if that cannot be read. */
export function readDraft<Draft>(name: string): Draft | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? '') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what is being written, also when the page is left or the session ends. */
export function keepDraft(name: string, draft: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    // The browser keeps nothing, or no more: it is still on the page.
  }
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

/** Whoever signs out leaves nothing behind. */
export function forgetDrafts(): void {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  }
}
