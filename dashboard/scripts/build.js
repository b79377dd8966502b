// Builds the dashboard into dist/: when it is installed (`npm ci`), and when `serve` finds none or an old one; or into the
// directory that is named, for the server's package. Plain JavaScript, since npm itself may run on a Node.js that reads no
// TypeScript.
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
    'The dashboard was not built: Vite is not installed. `npm ci` brings it, unless development is left out.',
  );
  // A package without its dashboard is none.
  if (given !== undefined) process.exitCode = 1;
} else {
  await build(vite);
}

/** Two may build at the same time: each builds aside, and the last one stays. */
async function build({ build: bundle }) {
  const aside = `${DIST}.${process.pid}`;
  const old = `${aside}.old`;
  try {
    await bundle({ root: ROOT, logLevel: 'warn', build: { outDir: aside, emptyOutDir: true } });
    compressAssets(join(aside, 'assets'));
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(aside, DIST);
  } catch (error) {
    // Somebody else has put theirs there in between.
    if (error?.code !== 'ENOTEMPTY' && error?.code !== 'EEXIST' && error?.code !== 'ENOENT') throw error;
  } finally {
    for (const directory of [aside, old]) rmSync(directory, { recursive: true, force: true });
  }
}

/** Once and as well as can be, so that no request has to. */
function compressAssets(directory) {
  for (const name of readdirSync(directory).filter((file) => COMPRESSIBLE.test(file))) {
    const file = join(directory, name);
    const content = readFileSync(file);
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: size }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
