import assert from 'node:assert/strict';
import { findTarget } from './api.ts';
import { isDots } from './texts.ts';
import { CREATE, fitsAddress, JSON_TYPE, RETRIEVE, show, type TextsDesk } from './texts-desk.ts';

const LIST = findTarget('/v1', 'listListings');
const EVENTS = findTarget('/v1', 'listEvents');
const ME = findTarget('/v1', 'retrieveMe');

const NEVER = () => [400];

/** Parameters that are not text: the possible statuses, and a parameter that must come along. */
const OTHERS: [name: string, statusesOf: (text: string) => number[], partner?: string][] = [
  ['cursor', NEVER],
  ['bbox', NEVER],
  ['near', NEVER],
  ['radius', NEVER, 'near=30,-97'],
  ['sort', NEVER],
  ['createdAt[gt]', NEVER],
  ['updatedAt[lte]', NEVER],
  ['status', NEVER],
  ['propertyType', NEVER],
  ['fields', (text) => [text === 'id' ? 200 : 400]],
  ['count', (text) => [text === 'true' ? 200 : 400]],
  ['limit', wholeNumber(1, 1_000)],
  ['beds', wholeNumber(0, 1e11)],
  ['yearBuilt[gte]', wholeNumber(0, 1e11)],
  ['listPrice[lt]', wholeNumber(0, 1e11)],
];
const OF_EVENTS: typeof OTHERS = [
  ['epoch', () => [400, 410]],
  ['after', wholeNumber(0, 1e11)],
  ['limit', wholeNumber(1, 1_000)],
  // From 0, so that there is an event and no wait.
  ['wait', wholeNumber(0, 60), 'after=0'],
];

function wholeNumber(min: number, max: number): (text: string) => number[] {
  return (text) => [/^-?[0-9]+$/.test(text) && Number(text) >= min && Number(text) <= max ? 200 : 400];
}

/** A valid text finds its listing; an invalid one is rejected. */
export async function findByText(desk: TextsDesk, text: string, good: string[]): Promise<void> {
  if (!fitsAddress(text)) return;
  for (const name of ['city', 'postalCode', 'externalId']) {
    const { status, text: body } = await desk.read(`/v1/listings?${name}=${encodeURIComponent(text)}`);
    desk.fates.push(`${name} ${status}`);
    assert.equal(status, good.includes(name) ? 200 : 400, `${show(text)} as ${name}: ${body}`);
    if (status === 200) assert.ok(JSON.parse(body).data.length > 0, `${show(text)} is not found as ${name}`);
  }
  const words = await desk.read(`/v1/listings?fields=address&q=${encodeURIComponent(text)}`);
  desk.fates.push(`q ${words.status} ${words.status === 200 ? JSON.parse(words.text).data.length : ''}`);
}

export async function askByText(desk: TextsDesk, text: string): Promise<void> {
  if (!fitsAddress(text)) return;
  for (const [target, parameters] of [
    [LIST, OTHERS],
    [EVENTS, OF_EVENTS],
  ] as const) {
    for (const [name, statusesOf, partner] of parameters) {
      const query = `${encodeURIComponent(name)}=${encodeURIComponent(text)}${partner === undefined ? '' : `&${partner}`}`;
      const path = `/v1${target.operation.path}?${query}`;
      const { status, text: body } = await desk.ask(target, 'GET', path, desk.world.callers.key);
      desk.fates.push(`${name} ${status}`);
      assert.ok(statusesOf(text).includes(status), `${show(text)} as ${name}: ${status} ${body.slice(0, 200)}`);
    }
  }
}

export async function askWithText(desk: TextsDesk, text: string): Promise<void> {
  if (!fitsAddress(text) || text === '') return;
  const { callers } = desk.world;
  if (!isDots(text)) {
    const { status } = await desk.ask(RETRIEVE, 'GET', `/v1/listings/${encodeURIComponent(text)}`, callers.key);
    assert.equal(status, 404, `${show(text)} as an id`);
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return;
  const key = /^"(.*)"$/.exec(text.trim())?.[1] ?? text.trim();
  const headers = { ...callers.key, ...JSON_TYPE, 'Idempotency-Key': text };
  const { status } = await desk.ask(CREATE, 'POST', '/v1/listings', headers, '{}');
  assert.equal(status, /^[\x21-\x7e]{1,255}$/.test(key) ? 422 : 400, `${show(text)} as an Idempotency-Key`);
  await desk.ask(ME, 'GET', '/v1/me', { ...callers.key, 'X-Request-Id': text });
}
