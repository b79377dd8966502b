// Builds the files of the package other than bin/ and the README; `npm pack` runs this first.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SERVER = join(import.meta.dirname, '..');
const REPOSITORY = join(SERVER, '..');
const DIST = join(SERVER, 'dist');
/** With its license and those of the bundled code. */
const VIEWER_FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
];

rmSync(DIST, { recursive: true, force: true });
run(join(REPOSITORY, 'node_modules/typescript/bin/tsc'), ['-p', 'tsconfig.build.json']);
copy(['common-passwords.txt'], join(SERVER, 'src/lib'), join(DIST, 'lib'));
copy(['pages.css'], join(SERVER, 'src/http/pages'), join(DIST, 'http/pages'));
copy(VIEWER_FILES, dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'))), join(DIST, 'viewer'));
run(join(REPOSITORY, 'dashboard/scripts/build.js'), [join(DIST, 'dashboard')]);
copy(['LICENSE', 'CHANGELOG.md'], REPOSITORY, SERVER);

function run(program: string, args: string[]): void {
  // stdout belongs to npm.
  execFileSync(process.execPath, [program, ...args], { cwd: SERVER, stdio: ['ignore', 2, 2] });
}

function copy(names: string[], from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of names) copyFileSync(join(from, name), join(to, name));
}
