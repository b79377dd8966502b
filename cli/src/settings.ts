import { mkdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError } from './exit-codes.ts';
import { replaceFile } from './output/replace-file.ts';

export interface Settings {
  baseUrl: string;
  apiKey: string;
}

/** The path of the settings file. The XDG Base Directory Specification requires programs to ignore relative paths. */
export function settingsPath(): string {
  const given = process.env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'property-listings', 'settings.json');
}

export async function readSettings(): Promise<Partial<Settings>> {
  const text = await readFile(settingsPath(), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return '{}';
    throw new CommandError(`Cannot read the settings: ${error.message}`);
  });
  try {
    const { baseUrl, apiKey } = Object(JSON.parse(text));
    return { ...(typeof baseUrl === 'string' && { baseUrl }), ...(typeof apiKey === 'string' && { apiKey }) };
  } catch {
    // Omit the parser's message, which quotes the file and so may reveal the key.
    throw new CommandError(`${settingsPath()} is not valid JSON. Run "listings login" to replace it.`);
  }
}

export async function writeSettings(settings: Settings): Promise<void> {
  const path = settingsPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, [`${JSON.stringify(settings, undefined, 2)}\n`], 0o600);
}

/** @returns whether there were settings to remove */
export async function removeSettings(): Promise<boolean> {
  const missing = await rm(settingsPath()).catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return 'missing';
    throw error;
  });
  return missing === undefined;
}

function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}
