import { join } from 'node:path';
import { build } from 'vite';

/** Bundles an entry point of the client into one minified file. */
export async function bundleClient(entry: string): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      target: 'es2022',
      rolldownOptions: { input: join(import.meta.dirname, '../../src', entry), preserveEntrySignatures: 'strict' },
    },
  });
  const chunks = [output].flat().flatMap((bundled) => ('output' in bundled ? bundled.output : []));
  const [chunk, ...others] = chunks;
  if (chunk?.type !== 'chunk' || others.length > 0) throw new Error('The bundle has more than one file');
  return chunk.code;
}
