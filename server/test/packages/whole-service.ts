import assert from 'node:assert/strict';

/** The address must serve the dashboard, the reference, and the API with its threads. */
export async function assertWholeService(url: string, key: string): Promise<void> {
  await assertDashboard(url);
  await assertReference(url);
  await assertApi(url, key);
}

async function assertDashboard(url: string): Promise<void> {
  const page = await readText(`${url}/`);
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  assert.ok((await readText(url + script)).length > 1_000);
}

async function assertReference(url: string): Promise<void> {
  assert.match(await readText(`${url}/docs`), /swagger-ui-bundle\.js/);
  assert.match(await readText(`${url}/docs/errors`), /validation_failed/);
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'pages.css']) {
    await readText(`${url}/docs/${name}`);
  }
  assert.match(JSON.parse(await readText(`${url}/v1/openapi.json`)).openapi, /^3\.1/);
}

/** A search runs on a thread, whose program is a file of its own. */
async function assertApi(url: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ address: '12 Elm Street', beds: 3, baths: 2, city: 'Austin' });
  assert.equal((await fetch(`${url}/v1/listings`, { method: 'POST', headers, body })).status, 201);
  const found = JSON.parse(await readText(`${url}/v1/listings?q=elm&city=Austin`, headers));
  assert.equal(found.data.length, 1);
}

async function readText(url: string, headers: Record<string, string> = {}): Promise<string> {
  const reply = await fetch(url, { headers });
  assert.equal(reply.status, 200, url);
  return reply.text();
}
