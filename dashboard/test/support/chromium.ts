import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

const PROGRAMS = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser'];
const MAC_PROGRAM = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const PACKAGE = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')));

/** The name of fontconfig's configuration file. */
const FONTS = 'fonts.conf';

interface Program {
  executablePath: string;
  env?: Record<string, string>;
}

/**
 * Launches the package's browser on Linux x64, and an installed Chrome or Chromium elsewhere. The package's
 * browser has no windows, so a page takes about 40% less processor time.
 */
export async function launchBrowser(): Promise<Browser> {
  const isPacked = process.platform === 'linux' && process.arch === 'x64';
  const { executablePath, env } = isPacked ? await unpack() : findInstalled();
  return chromium.launch({ executablePath, env: { ...process.env, ...env } });
}

function findInstalled(): Program {
  const directories = (process.env.PATH ?? '').split(delimiter);
  const paths = directories.flatMap((directory) => PROGRAMS.map((name) => join(directory, name)));
  const executablePath = [...paths, MAC_PROGRAM].find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('Install Google Chrome or Chromium for the browser tests.');
  return { executablePath };
}

/**
 * Unpacks the package's browser and its libraries once, into a folder that is renamed when it is
 * complete. By default, the package uses even an old or incomplete copy in the temporary folder.
 */
async function unpack(): Promise<Program> {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  const directory = join(dirname(dirname(PACKAGE)), '.cache', `chromium-${version}`);
  if (!existsSync(directory)) await unpackTo(directory);
  const libraries = join(directory, 'al2023/lib');
  return {
    executablePath: join(directory, 'chromium'),
    env: { LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(directory, FONTS) },
  };
}

async function unpackTo(directory: string): Promise<void> {
  mkdirSync(dirname(directory), { recursive: true });
  const aside = mkdtempSync(`${directory}-`);
  const { TMPDIR } = process.env;
  // The package reads both variables on import; the first makes it unpack its libraries.
  Object.assign(process.env, { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x', TMPDIR: aside });
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    await packed.executablePath();
    // The package's own settings point to missing fonts, and without fonts pages have no text.
    writeFileSync(join(aside, FONTS), fontsIn(directory));
    renameSync(aside, directory);
  } catch (error) {
    // Another test may have unpacked the browser first.
    if (!existsSync(directory)) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
    delete process.env.AWS_EXECUTION_ENV;
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

function fontsIn(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${directory}/fonts</dir><cachedir>${directory}/fonts-cache</cachedir></fontconfig>
`;
}
