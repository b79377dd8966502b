import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError } from './exit-codes.ts';

/** What `login` remembers. */
export interface Settings {
  baseUrl: string;
  apiKey: string;
}

/** Below the configuration directory of the XDG Base Directory Specification, where a relative path does not count. */
export function settingsPath(): string {
  const given = process.env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'property-listings', 'settings.json');
}

export async function readSettings(): Promise<Partial<Settings>> {
  const text = await readFile(settingsPath(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '{}';
    throw new CommandError(`The settings cannot be read: ${error.message}`);
  });
  try {
    const { baseUrl, apiKey } = Object(JSON.parse(text));
    return { ...(typeof baseUrl === 'string' && { baseUrl }), ...(typeof apiKey === 'string' && { apiKey }) };
  } catch {
    // What is in it may be a key, so the parser's words, which quote it, are not shown.
    throw new CommandError(`${settingsPath()} is not JSON: "listings login" writes it anew.`);
  }
}

/** Only the user may read it, at every moment: it is written under another name first. */
export async function writeSettings(settings: Settings): Promise<void> {
  const path = settingsPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** @returns whether there were any */
export async function removeSettings(): Promise<boolean> {
  try {
    await rm(settingsPath());
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(ENOENT|ENOTDIR)$/.test(String(error.code))) return false;
    throw error;
  }
}
