// Bundles the service: its sources and the packages that they import.
import { cpSync, globSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';

const SOURCE = join(import.meta.dirname, '../src');
/** The program, and the part that tests run in a thread (`testkit/src/warm-server.ts`). */
const ENTRIES = ['main.ts', 'commands/program.ts'];

/**
 * Writes the program in chunks, which are loaded on demand; each thread as one file, because threads of the single
 * executable cannot load others; and the files that the code reads.
 * @returns the paths of all bundled modules
 */
export async function bundleService(directory: string): Promise<string[]> {
  const threads = globSync('**/*-thread.ts', { cwd: SOURCE });
  const bundled = await Promise.all([
    bundle(ENTRIES, { dir: directory, chunkFileNames: '[name].js' }),
    ...threads.map((file) => bundle([file], { file: join(directory, toJs(file)), codeSplitting: false })),
  ]);
  for (const file of globSync('**/*.{css,txt}', { cwd: SOURCE })) cpSync(join(SOURCE, file), join(directory, file));
  return [...new Set(bundled.flat())].sort();
}

async function bundle(files: string[], output: OutputOptions): Promise<string[]> {
  const folder = output.file === undefined ? '.' : dirname(files.join());
  const input = files.map((file) => join(SOURCE, file));
  const built = await rolldown({
    input,
    platform: 'node',
    plugins: [keepPaths(folder), readBuiltins],
    logLevel: 'warn',
  });
  const { output: chunks } = await built.write({ ...output, format: 'esm', charset: 'ascii', comments: false });
  await built.close();
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** Modules find files by their own path. In a bundle, that would be the path of the output file, in `folder`. */
function keepPaths(folder: string): Plugin {
  return {
    name: 'keep-paths',
    transform(code, id) {
      if (!id.startsWith(SOURCE)) return undefined;
      const path = toJs(relative(join(SOURCE, folder), id));
      return code
        .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(path)}`)})`)
        .replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url)`);
    },
  };
}

const BUILTIN_IMPORT = /^import (?:([\w$]+)(?:, )?)?(?:\{ ([^}]+) \})? from ("node:[^"]+");$/gm;

/** `import` would evaluate all exports of a built-in module. For `node:http`, that would load all of undici. */
const readBuiltins: Plugin = {
  name: 'read-builtins',
  renderChunk(code) {
    return code.replace(BUILTIN_IMPORT, (_, whole?: string, names?: string, id?: string) => {
      const targets = [whole, names && `{ ${names.replaceAll(' as ', ': ')} }`].filter(
        (target) => target !== undefined,
      );
      return targets.map((target) => `const ${target} = process.getBuiltinModule(${id});`).join(' ');
    });
  },
};

function toJs(file: string): string {
  return file.replace(/\.ts$/, '.js');
}
