const PREFIX = 'draft ';

/** Reads a draft that is stored in this tab; undefined if there is none or it cannot be read. */
export function readDraft<Draft>(name: string): Draft | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(PREFIX + name) ?? '') ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepDraft(name: string, draft: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    // Ignore errors, such as full or disabled storage: the draft is still on the page.
  }
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

export function forgetDrafts(): void {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  }
}
