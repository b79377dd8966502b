// Builds dist/property-listings: Node.js and the files of the package in one file.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SERVER = join(import.meta.dirname, '..');
const OUTPUT = join(SERVER, '../dist');
const CONFIG = join(OUTPUT, 'sea.json');

rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT);
runNode(join(import.meta.dirname, 'pack.ts'));
const files = globSync(['package.json', 'bin/v8-flags.js', 'dist/**/*.*'], { cwd: SERVER });
writeFileSync(
  CONFIG,
  JSON.stringify({
    main: join(import.meta.dirname, 'executable-main.js'),
    mainFormat: 'module',
    output: join(OUTPUT, 'property-listings'),
    disableExperimentalSEAWarning: true,
    useVfs: true,
    assets: Object.fromEntries(files.map((file) => [file, join(SERVER, file)])),
  }),
);
runNode(`--build-sea=${CONFIG}`);
for (const name of ['licenses.md', 'sbom.cdx.json']) cpSync(join(SERVER, 'dist', name), join(OUTPUT, name));

function runNode(...args: string[]): void {
  execFileSync(process.execPath, args, { stdio: 'inherit' });
}
