// Builds the files of the package other than bin/ and the README; `npm pack` runs this first.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeBill, writeLicenses } from './bill-of-materials.ts';
import { bundleService } from './bundle.ts';

const SERVER = join(import.meta.dirname, '..');
const REPOSITORY = join(SERVER, '..');
const DIST = join(SERVER, 'dist');
const VIEWER = fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'));
/** Includes the licenses of the code in the viewer's bundle. */
const VIEWER_FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'favicon-32x32.png',
];

rmSync(DIST, { recursive: true, force: true });
const modules = await bundleService(DIST);
copy(VIEWER_FILES, dirname(VIEWER), join(DIST, 'viewer'));
// stdout belongs to npm.
const options: ExecFileSyncOptions = { cwd: SERVER, stdio: ['ignore', 2, 2] };
execFileSync(process.execPath, [join(REPOSITORY, 'dashboard/scripts/build.js'), join(DIST, 'dashboard')], options);
writeLicenses(DIST, [...modules, VIEWER]);
writeBill(DIST);
copy(['LICENSE', 'CHANGELOG.md'], REPOSITORY, SERVER);

function copy(names: string[], from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(join(from, name), join(to, name));
}
