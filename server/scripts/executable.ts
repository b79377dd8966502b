// Builds dist/property-listings: Node.js and the files of the package in one file.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SERVER = join(import.meta.dirname, '..');
const OUTPUT = join(SERVER, '../dist');
const CONFIG = join(OUTPUT, 'sea.json');
const STRIPPED = join(OUTPUT, 'node');
const { MEMORY_FLAGS } = await import(join(SERVER, 'bin/v8-flags.js'));

rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT);
runNode(join(import.meta.dirname, 'pack.ts'));
const files = globSync(['package.json', 'bin/v8-flags.js', 'dist/**/*.*'], { cwd: SERVER });
writeFileSync(
  CONFIG,
  JSON.stringify({
    main: join(import.meta.dirname, 'executable-main.js'),
    mainFormat: 'module',
    executable: withoutSymbols(),
    execArgv: MEMORY_FLAGS,
    output: join(OUTPUT, 'property-listings'),
    disableExperimentalSEAWarning: true,
    useVfs: true,
    assets: Object.fromEntries(files.map((file) => [file, join(SERVER, file)])),
  }),
);
runNode(`--build-sea=${CONFIG}`);
rmSync(STRIPPED, { force: true });
cpSync(join(SERVER, 'dist/sbom.cdx.json'), join(OUTPUT, 'sbom.cdx.json'));
const licenses = [
  ...['licenses.md', 'dashboard/licenses.md', 'viewer/swagger-ui-bundle.js.LICENSE.txt'].map((file) =>
    join(SERVER, 'dist', file),
  ),
  join(process.execPath, '../../LICENSE'),
];
writeFileSync(join(OUTPUT, 'licenses.md'), licenses.map((file) => readFileSync(file, 'utf8')).join('\n'));

/** A copy of Node.js without its symbols, or Node.js itself: on macOS, removing them would invalidate its signature. */
function withoutSymbols(): string {
  if (process.platform !== 'linux') return process.execPath;
  copyFileSync(process.execPath, STRIPPED);
  if (spawnSync('strip', [STRIPPED]).status === 0) return STRIPPED;
  console.warn('Install binutils (`strip`) to make the executable 30 MB smaller.');
  return process.execPath;
}

function runNode(...args: string[]): void {
  execFileSync(process.execPath, args, { stdio: 'inherit' });
}
