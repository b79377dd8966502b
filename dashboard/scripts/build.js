// Builds the dashboard into dist/, or into the directory given as an argument. Runs during `npm ci`,
// and when `serve` finds no build or an old one. Plain JavaScript, because npm may run on a Node.js
// version without TypeScript support.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [, , given] = process.argv;
const DIST = given === undefined ? join(ROOT, 'dist') : resolve(given);
const COMPRESSIBLE = /\.(js|css|svg)$/;

const vite = await import('vite').catch(() => undefined);
if (vite === undefined || !existsSync(join(ROOT, 'index.html'))) {
  console.error(
    'The dashboard was not built because Vite is not installed. Run `npm ci` with development dependencies.',
  );
  // A package without the dashboard is incomplete.
  if (given !== undefined) process.exitCode = 1;
} else {
  await build(vite);
}

/** Builds in a separate directory and renames it, because several builds may run at once. The last one stays. */
async function build({ build: bundle }) {
  const aside = `${DIST}.${process.pid}`;
  const old = `${aside}.old`;
  try {
    await bundle({ root: ROOT, logLevel: 'warn', build: { outDir: aside, emptyOutDir: true } });
    compressAssets(join(aside, 'assets'));
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(aside, DIST);
  } catch (error) {
    // Another build was renamed in between.
    if (error?.code !== 'ENOTEMPTY' && error?.code !== 'EEXIST' && error?.code !== 'ENOENT') throw error;
  } finally {
    for (const directory of [aside, old]) rmSync(directory, { recursive: true, force: true });
  }
}

/** Compresses files now, so that the service does not have to for each request. */
function compressAssets(directory) {
  for (const name of readdirSync(directory).filter((file) => COMPRESSIBLE.test(file))) {
    const file = join(directory, name);
    const content = readFileSync(file);
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: size }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
