// Builds dist/property-listings: Node.js, the service, the dashboard, and the reference in one file.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const SERVER = join(import.meta.dirname, '..');
const BUILT = join(SERVER, 'dist');
const OUTPUT = join(SERVER, '../dist');
const PARTS = join(OUTPUT, 'parts');
const THREAD = /-thread\.js$/;
/** Read at run time: everything that is not code of the service. */
const FILE = /^dashboard\/.*\.\w+$|^viewer\/|\.css$|\.txt$/;

/** Modules find their files by their own path, which is the same in the executable as in the package. */
const keepPaths: Plugin = {
  name: 'keep-paths',
  transform(code, id) {
    if (!id.startsWith(BUILT)) return undefined;
    const path = relative(SERVER, id);
    return code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(path)}`)})`)
      .replaceAll('import.meta.filename', `(import.meta.dirname + ${JSON.stringify(`/${path}`)})`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url)`);
  },
};

rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(PARTS, { recursive: true });
runNode(join(import.meta.dirname, 'pack.ts'));
await bundle(join(import.meta.dirname, 'executable-main.js'), 'main.js');
const assets: Record<string, string> = { 'package.json': join(SERVER, 'package.json') };
for (const name of readdirSync(BUILT, { recursive: true, encoding: 'utf8' })) {
  if (THREAD.test(name)) assets[`dist/${name}`] = await bundle(join(BUILT, name), name);
  else if (FILE.test(name)) assets[`dist/${name}`] = join(BUILT, name);
}
const config = join(PARTS, 'sea.json');
writeFileSync(
  config,
  JSON.stringify({
    main: join(PARTS, 'main.js'),
    mainFormat: 'module',
    output: join(OUTPUT, 'property-listings'),
    disableExperimentalSEAWarning: true,
    useVfs: true,
    assets,
  }),
);
runNode(`--build-sea=${config}`);

/** Bundles a module with what it imports. @returns the bundle's file */
async function bundle(input: string, name: string): Promise<string> {
  const file = join(PARTS, name);
  const built = await rolldown({ input, platform: 'node', plugins: [keepPaths], logLevel: 'warn' });
  await built.write({
    file,
    format: 'esm',
    codeSplitting: false,
    minify: { compress: true, mangle: false, codegen: true },
  });
  return file;
}

function runNode(...args: string[]): void {
  execFileSync(process.execPath, args, { stdio: 'inherit' });
}
