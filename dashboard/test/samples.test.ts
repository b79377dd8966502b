import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MINIMAL, send } from '../../testkit/src/listings.ts';
import { startSharedService } from '../../testkit/src/service.ts';
import { SAMPLES, type SampleName } from '../src/pages/settings/samples.ts';

const service = await startSharedService();
const run = promisify(execFile);
const cwd = fileURLToPath(new URL('../..', import.meta.url));
/** The `PATH` begins with this repository's Node.js and command-line client. */
const env = { ...process.env, PATH: `${cwd}node_modules/.bin:${process.env.PATH}` };

/** Only checks the syntax if the library is not installed. */
const PYTHON = `import ast, importlib.util, sys
code = sys.argv[1]
ast.parse(code)
if importlib.util.find_spec("requests"): exec(code)
else: print("no requests")`;

/** The command that runs each sample, as a user would. */
const COMMANDS: Record<SampleName, (code: string) => [command: string, ...args: string[]]> = {
  curl: (code) => ['sh', '-c', code.replace('curl', 'curl -fsS')],
  TypeScript: (code) => [
    'node',
    '--conditions=@property-listings/source',
    '--input-type=module-typescript',
    '-e',
    code,
  ],
  Python: (code) => ['python3', '-c', PYTHON, code],
  CLI: (code) => ['sh', '-c', code],
};

for (const name of ['curl', 'TypeScript', 'Python', 'CLI'] as const) {
  test(`the ${name} sample creates a listing, and lists listings with a read-only key`, async () => {
    const tenant = await service.createTenant();
    const execute = async (apiKey: string, isReadOnly: boolean) => {
      const { code } = SAMPLES[name]({ apiKey, origin: service.url, isReadOnly });
      const [command, ...args] = COMMANDS[name](code);
      return (await run(command, args, { cwd, env })).stdout;
    };
    const output = await execute(tenant.key, false);
    if (output.includes('no requests')) return;
    const { data } = await (await service.fetch(tenant, '/v1/listings')).json();
    assert.equal(data.length, 1);
    assert.partialDeepStrictEqual(data[0], { address: '12 Elm Street', beds: 3, baths: 2 });
    assert.ok(output.includes(data[0].id), output);

    await send(service, tenant, 'POST', '/listings', { ...MINIMAL, address: '7 Oak Avenue' });
    const reader = await service.createKey(tenant.accountId, 'read');
    const list = await execute(reader.key, true);
    for (const address of ['12 Elm Street', '7 Oak Avenue']) assert.ok(list.includes(address), list);
  });
}
