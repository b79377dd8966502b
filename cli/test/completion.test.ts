import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { REPOSITORY } from '../../testkit/src/process.ts';
import { listings, shell } from './support/cli.ts';

async function candidates(...words: string[]): Promise<string[]> {
  const { stdout } = await listings(['__complete', '--', ...words]);
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

describe('completion', () => {
  test('offers commands, flags, and values', async () => {
    assert.deepEqual(await candidates('ex'), ['export']);
    assert.deepEqual(await candidates('keys', ''), ['scan']);
    assert.deepEqual(await candidates('completion', ''), ['bash', 'zsh', 'fish']);
    assert.deepEqual(await candidates('list', '--beds-g'), ['--beds-gt', '--beds-gte']);
    assert.deepEqual(await candidates('list', '--status', 'c'), ['coming_soon', 'closed', 'canceled']);
    assert.deepEqual(await candidates('list', '--status', 'active,p'), ['active,pending']);
    assert.deepEqual(await candidates('list', '--status=p'), ['--status=pending']);
    assert.deepEqual(await candidates('list', '--sort', '=', '-list'), ['-listPrice']);
    assert.deepEqual(await candidates('export', '--format', 'g'), ['geojson']);
    assert.deepEqual(await candidates('import', ''), []);
  });

  test('completes a line in bash', async (t) => {
    const words = '(listings create --property-type resid)';
    const line = `eval "$(listings completion bash)"; COMP_WORDS=${words}; COMP_CWORD=3; _listings; echo "\${COMPREPLY[@]}"`;
    const { output, closed } = shell(t, line, {});
    assert.equal(await closed, 0, output.stderr);
    assert.equal(output.stdout, 'residential residential_lease residential_income\n');
  });

  test('has a script for each shell', async () => {
    for (const name of ['bash', 'zsh', 'fish']) {
      assert.match((await listings(['completion', name])).stdout, /listings __complete -- /);
    }
  });
});

describe('every', () => {
  const { components, paths } = JSON.parse(readFileSync(join(REPOSITORY, 'openapi/openapi.json'), 'utf8'));
  const fields: [name: string, schema: { enum?: string[] }][] = Object.entries(
    components.schemas.ListingInput.properties,
  );
  const parameters: { name?: string }[] = paths['/listings'].get.parameters;

  test('field of the API has a flag with its values', async () => {
    const flags = await candidates('create', '--');
    for (const [name, { enum: values }] of fields) {
      assert.ok(flags.includes(toFlag(name)), name);
      if (values !== undefined) assert.deepEqual(await candidates('create', toFlag(name), ''), values);
    }
  });

  test('filter of the API has a flag', async () => {
    const flags = await candidates('list', '--');
    for (const { name = '' } of parameters) {
      if (!READ_BY_ITSELF.has(name)) assert.ok(flags.includes(toFlag(name)), name);
    }
  });
});

/** Parameters without flags: those for paging, which the CLI does itself, and headers (references without a name). */
const READ_BY_ITSELF = new Set(['cursor', 'count', '']);

/** `beds[gte]` → `--beds-gte`, `listPrice` → `--list-price`, `city[]` → `--city`; `--photo` sets one photo. */
function toFlag(name: string): string {
  const dashed = name
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace('[]', '')
    .replace(/\[(\w+)\]/, '-$1');
  return `--${dashed === 'photos' ? 'photo' : dashed}`;
}
