import assert from 'node:assert/strict';
import { PASSWORD } from '../../../../testkit/src/browser.ts';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { findTarget } from './caller.ts';
import { type Fate, fateOf, faultsOf, type Place, show, type TextsDesk } from './texts-desk.ts';

const DELETE_KEY = findTarget('/admin', 'deleteApiKey');
const NAMED = ['createApiKey', 'updateAccount', 'changeName'];
export const NAME: Place = { lengthMax: 100 };
/** Operations with a field in which none of the strings names an existing object or is a valid code. */
const UNKNOWN: [operationId: string, field: string, outcome: RegExp][] = [
  ['previewInvitation', 'token', /^(404 not_found|422 validation_failed)$/],
  ['chooseAccount', 'accountId', /^404 not_found$/],
  ['endSession', 'id', /^404 not_found$/],
  ['verifyTotp', 'code', /^(409 conflict|422 validation_failed)$/],
  ['verifyBackupCode', 'code', /^(409 conflict|422 validation_failed)$/],
];
const NOBODYS_TOKEN = 'x'.repeat(43);
/** One in this many strings becomes a member's name, because an account can send 100 invitations an hour. */
const JOINING = 4;
const ADDRESSES = 250;

export async function typeText(desk: TextsDesk, text: string, index: number): Promise<void> {
  const fate = fateOf(text, NAME);
  for (const operationId of NAMED) {
    const told = await desk.typeIn(operationId, { name: text });
    judgeName(desk, text, fate, operationId, told);
    if (operationId !== 'createApiKey' || told.status !== 201) continue;
    const path = `/admin/api-keys/${JSON.parse(told.text).id}`;
    await desk.ask(DELETE_KEY, 'DELETE', path, desk.world.callers.administrator);
  }
  for (const [operationId, field, outcome] of UNKNOWN) {
    const caller = { ...desk.world.callers.administrator, ...addressOf(index) };
    const told = await desk.typeIn(operationId, { [field]: text }, caller);
    const is = `${told.status} ${JSON.parse(told.text).error?.code}`;
    desk.fates.push(`${operationId} ${is}`);
    assert.match(is, outcome, `${show(text)} in ${operationId}: ${told.text}`);
  }
  await typeEmail(desk, text, index);
  await setUpWith(desk, text, fate, index);
  if (index % JOINING === 0) await joinAs(desk, text, fate, index);
}

/** Sends the string as an email, which must be rejected, because none of the strings is a valid email. */
async function typeEmail(desk: TextsDesk, text: string, index: number): Promise<void> {
  const isBlank = text.normalize('NFC').trim() === '';
  const invited = await desk.typeIn('createInvitation', { email: text, role: 'member' });
  const faults = faultsOf(invited).map(({ field, code }) => `${field} ${code}`);
  desk.fates.push(`createInvitation ${invited.status} ${faults}`);
  const expected = [isBlank ? 'email blank' : 'email invalid_format'];
  assert.deepEqual(faults, expected, `${show(text)} in createInvitation: ${invited.text}`);
  const entered = await desk.typeIn('signIn', { email: text, password: 'a guess' }, visitorOf(desk, index));
  desk.fates.push(`signIn ${entered.status}`);
  assert.equal(entered.status, isBlank ? 422 : 401, `${show(text)} in signIn: ${entered.text}`);
}

/** Sends the string as the names in a setup request. Setup is closed, but the service validates names first. */
async function setUpWith(desk: TextsDesk, text: string, fate: Fate, index: number): Promise<void> {
  const person = { token: NOBODYS_TOKEN, email: 'first@example.com', password: PASSWORD };
  // One after the other, because both together can exceed the limit of the body.
  for (const field of ['name', 'accountName']) {
    const names = { name: 'Ada', accountName: 'Ada Homes', [field]: text };
    const told = await desk.typeIn('setUp', { ...person, ...names }, visitorOf(desk, index));
    const faults = faultsOf(told);
    desk.fates.push(`setUp ${told.status} ${faults.map((each) => `${each.field} ${each.code}`)}`);
    const due = 'codes' in fate ? [field] : [];
    const fields = faults.map((each) => each.field);
    const what = `${show(text)} in setUp: ${told.text}`;
    assert.deepEqual(fields, due, what);
    assert.ok(due.length > 0 || [403, 409].includes(told.status), what);
    for (const { code } of faults) assert.ok('codes' in fate && fate.codes.includes(code), what);
  }
}

async function joinAs(desk: TextsDesk, text: string, fate: Fate, index: number): Promise<void> {
  const invited = await desk.typeIn('createInvitation', { email: `text-${index}@example.com`, role: 'member' });
  assert.equal(invited.status, 201, invited.text);
  const [, token] = String(JSON.parse(invited.text).url).split('#token=');
  const given = { token, name: text, password: PASSWORD };
  const told = await desk.typeIn('acceptInvitation', given, visitorOf(desk, index));
  judgeName(desk, text, fate, 'acceptInvitation', told);
}

/** Returns the headers of a signed-out browser with its own address. */
function visitorOf({ world }: TextsDesk, index: number): Record<string, string> {
  return { ...world.callers.nobody, ...addressOf(index) };
}

/** Each string has its own client address, because the service limits wrong links and codes per address. */
function addressOf(index: number): Record<string, string> {
  return { 'X-Forwarded-For': `10.9.${Math.trunc(index / ADDRESSES)}.${index % ADDRESSES}` };
}

function judgeName(desk: TextsDesk, text: string, fate: Fate, operationId: string, told: Told): void {
  const codes = faultsOf(told).map(({ code }) => code);
  desk.fates.push(`${operationId} ${told.status} ${codes}`);
  const what = `${show(text)} in ${operationId}: ${told.text}`;
  if ('codes' in fate) assert.ok(fate.codes.includes(codes[0] ?? ''), what);
  else {
    const { user, name } = JSON.parse(told.text);
    assert.equal(user === undefined ? name : user.name, fate.stored, what);
  }
}
