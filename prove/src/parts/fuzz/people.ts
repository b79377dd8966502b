import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Authenticator } from '../../../../testkit/src/authenticator.ts';
import { PASSWORD } from '../../../../testkit/src/browser.ts';
import { nextTotp, totp, wrongCode } from '../../../../testkit/src/totp.ts';
import { atOnce } from '../../at-once.ts';
import type { World } from './accounts.ts';
import type { Tally } from './caller.ts';
import { Visitor } from './visitor.ts';

const WRONG = 'battery horse staple correct';
const NEW_PASSWORD = 'staple correct battery horse';
const FIRST = 'first@example.com';
const NOBODYS_TOKEN = 'x'.repeat(43);
/** More concurrent requests than the service accepts: it hashes one password at a time, and 16 more can wait. */
const AT_ONCE = 24;
/** The number of wrong passwords or codes that the limit allows. */
const TRIES = 10;
/** The numbers of wrong links and of started passkey sign-ins that an address can send. */
const WRONG_LINKS = 50;
const STARTS = 100;
const PASSKEYS_MAX = 20;
const VIEWS_MAX = 50;
const PASSKEY = { name: 'Phone', password: PASSWORD };

export async function setUp(url: string, directory: string, tally: Tally, isThorough: boolean): Promise<void> {
  const visitor = new Visitor(url, '198.51.100.1', tally);
  const state = await visitor.ask('retrieveSetup', undefined, '200');
  assert.equal(state.isOpen, true);
  const [, token] = (await readFile(join(directory, 'setup-link.txt'), 'utf8')).trim().split('#token=');
  for (let count = 0; count < 5; count += 1) {
    await visitor.ask('previewSetup', { token }, '200');
    await visitor.ask('previewSetup', { token: NOBODYS_TOKEN }, '403 forbidden');
  }
  const person = { name: 'Ada Lovelace', email: FIRST, password: PASSWORD, accountName: 'The first' };
  await visitor.ask('setUp', { ...person, token: NOBODYS_TOKEN }, '403 forbidden');
  if (isThorough) {
    await tryAtOnce(() => visitor.try('setUp', { ...person, token }), '201', /^(409 conflict|429 rate_limited)$/);
  } else await visitor.ask('setUp', { ...person, token }, '201');
  for (let count = 0; count < 5; count += 1) {
    await visitor.ask('setUp', { ...person, token }, '409 conflict');
    await visitor.ask('previewSetup', { token }, '409 conflict');
  }
}

/** Sends a request many times at once. Exactly one must succeed. */
async function tryAtOnce(send: () => Promise<{ outcome: string }>, good: string, others: RegExp): Promise<void> {
  const outcomes = (await atOnce(AT_ONCE, send)).map(({ outcome }) => outcome);
  const rest = outcomes.filter((outcome) => outcome !== good);
  assert.equal(rest.length, outcomes.length - 1, `${good} occurred ${outcomes.length - rest.length} times`);
  for (const outcome of rest) assert.match(outcome, others, `only one ${good} was expected`);
}

/** Sends the requests of users, from their invitation to their removal. */
export class People {
  readonly #world: World;
  readonly #tally: Tally;
  readonly #administrator: Visitor;
  #visitors = 0;

  constructor(world: World, tally: Tally) {
    this.#world = world;
    this.#tally = tally;
    this.#administrator = this.#visit(world.browser);
  }

  #visit(browser?: World['browser']): Visitor {
    this.#visitors += 1;
    const address = `10.${Math.floor(this.#visitors / 250)}.${this.#visitors % 250}.1`;
    return new Visitor(this.#world.url, address, this.#tally, browser);
  }

  /** Goes through the life of one user. With `isThorough`, it also exhausts the limits of attempts. */
  async live(number: number, isThorough: boolean): Promise<void> {
    const email = `person-${number}@example.org`;
    const { person, userId } = await this.#join(email, isThorough);
    await this.#inviteKnown(person);
    await this.#usePasskeys(person, isThorough);
    await this.#useSessions(person, email);
    await this.#changePassword(person, email);
    await this.#useSecondFactor(person, email);
    if (isThorough) await this.#useUp(person, email);
    await this.#leave(person, userId);
  }

  async #join(email: string, isThorough: boolean): Promise<{ person: Visitor; userId: string }> {
    const administrator = this.#administrator;
    const { url } = await administrator.ask('createInvitation', { email, role: 'member' }, '201');
    const [, token] = url.split('#token=');
    const person = this.#visit();
    await person.ask('previewInvitation', { token: NOBODYS_TOKEN }, '404 not_found');
    const preview = await person.ask('previewInvitation', { token }, '200');
    assert.deepEqual([preview.email, preview.hasUser], [email, false]);
    await person.ask('acceptInvitation', { token, name: 'Grace' }, '422 validation_failed');
    await person.ask('acceptInvitation', { token: NOBODYS_TOKEN, name: 'Grace', password: PASSWORD }, '404 not_found');
    const given = { token, name: ' Gra\u0301ce ', password: PASSWORD };
    if (isThorough) {
      const others = /^(404 not_found|409 conflict|429 rate_limited)$/;
      await tryAtOnce(() => this.#visit().try('acceptInvitation', given), '200', others);
      await person.ask('signIn', { email, password: PASSWORD }, '200');
    } else await person.ask('acceptInvitation', given, '200');
    await person.ask('previewInvitation', { token }, '404 not_found');
    const { user } = await person.ask('retrieveSession', undefined, '200');
    assert.deepEqual([user.email, user.name], [email, 'Gr\u00e1ce']);
    await administrator.ask('createInvitation', { email, role: 'member' }, '409 conflict');
    return { person, userId: user.id };
  }

  /** Checks that an existing user can accept an invitation only with their own session. */
  async #inviteKnown(other: Visitor): Promise<void> {
    const administrator = this.#administrator;
    const { id, url } = await administrator.ask('createInvitation', { email: FIRST, role: 'administrator' }, '201');
    const [, token] = url.split('#token=');
    await this.#visit().ask('acceptInvitation', { token }, '401 unauthorized');
    await other.ask('acceptInvitation', { token }, '409 conflict');
    await administrator.ask('deleteInvitation', undefined, '204', id);
    await administrator.ask('deleteInvitation', undefined, '404 not_found', id);
    await other.ask('acceptInvitation', { token }, '404 not_found');
  }

  async #usePasskeys(person: Visitor, isThorough: boolean): Promise<void> {
    const authenticator = new Authenticator(this.#world.url);
    const { id } = await this.#addPasskey(person, authenticator, '201');
    await this.#addPasskey(person, authenticator, '409 conflict');
    const other = this.#visit();
    const options = await other.ask('startPasskeySignIn', undefined, '200');
    await other.ask('signInWithPasskey', { response: authenticator.get(options) }, '200');
    await other.ask('signInWithPasskey', { response: authenticator.get(options) }, '401 unauthorized');
    await other.ask('signOut', undefined, '204');
    if (isThorough) {
      for (let count = 1; count < PASSKEYS_MAX; count += 1)
        await this.#addPasskey(person, new Authenticator(this.#world.url), '201');
      await person.ask('startPasskey', PASSKEY, '409 conflict');
    }
    await person.ask('deletePasskey', { id }, '204');
    await person.ask('deletePasskey', { id }, '404 not_found');
  }

  async #addPasskey(person: Visitor, authenticator: Authenticator, expected: string) {
    const options = await person.ask('startPasskey', PASSKEY, '200');
    return person.ask('addPasskey', { name: PASSKEY.name, response: authenticator.create(options) }, expected);
  }

  async #useSessions(person: Visitor, email: string): Promise<void> {
    const other = this.#visit();
    await other.ask('listSessions', undefined, '401 unauthorized');
    await other.ask('signIn', { email, password: WRONG }, '401 unauthorized');
    await other.ask('signIn', { email: ` ${email.toUpperCase()} `, password: PASSWORD }, '200');
    await other.ask('changeName', { name: 'Grace Hopper' }, '200');
    const sessions: { id: string; isCurrent: boolean }[] = await other.ask('listSessions', undefined, '200');
    const { id = '' } = sessions.find(({ isCurrent }) => isCurrent) ?? {};
    await person.ask('endSession', { id }, '204');
    await person.ask('endSession', { id }, '404 not_found');
    await other.ask('listSessions', undefined, '401 unauthorized');
    const { accounts } = await person.ask('retrieveSession', undefined, '200');
    await person.ask('chooseAccount', { accountId: accounts[0].id }, '200');
    await person.ask('chooseAccount', { accountId: 'acc_nobody' }, '404 not_found');
    await person.ask('endOtherSessions', undefined, '204');
    await other.ask('signOut', undefined, '204');
  }

  async #changePassword(person: Visitor, email: string): Promise<void> {
    const other = this.#visit();
    await other.ask('signIn', { email, password: PASSWORD }, '200');
    const wrong = { currentPassword: WRONG, newPassword: NEW_PASSWORD };
    await person.ask('changePassword', wrong, '422 validation_failed');
    await person.ask('changePassword', { ...wrong, currentPassword: PASSWORD }, '200');
    await other.ask('listSessions', undefined, '401 unauthorized');
    await other.ask('signIn', { email, password: PASSWORD }, '401 unauthorized');
    await person.ask('listSessions', undefined, '200');
  }

  async #useSecondFactor(person: Visitor, email: string): Promise<void> {
    const password = NEW_PASSWORD;
    await person.ask('verifyTotp', { code: '123456' }, '409 conflict');
    await person.ask('renewBackupCodes', { password }, '409 conflict');
    await person.ask('disableTwoFactor', { password }, '200');
    await person.ask('enableTwoFactor', { password: WRONG }, '422 validation_failed');
    const { totpURI, backupCodes } = await person.ask('enableTwoFactor', { password }, '200');
    await person.ask('verifyTotp', { code: wrongCode(totp(totpURI)) }, '422 validation_failed');
    const session = await person.ask('verifyTotp', { code: totp(totpURI) }, '200');
    assert.equal(session.user.hasTwoFactor, true);
    await person.ask('enableTwoFactor', { password }, '409 conflict');
    await person.ask('verifyBackupCode', { code: backupCodes[0] }, '409 conflict');
    await this.#signInWithCodes(person, email, backupCodes);
    await person.ask('renewBackupCodes', { password }, '422 validation_failed');
    const renewed = await person.ask('renewBackupCodes', { password, code: backupCodes[2] }, '200');
    await person.ask('signOut', undefined, '204');
    assert.deepEqual(await person.ask('signIn', { email, password }, '200'), { twoFactorRedirect: true });
    await person.ask('verifyBackupCode', { code: backupCodes[1] }, '422 validation_failed');
    await person.ask('verifyTotp', { code: nextTotp(totpURI) }, '200');
    assert.equal(renewed.backupCodes.length, backupCodes.length);
    const [code] = renewed.backupCodes;
    await person.ask('renewBackupCodes', { password: WRONG, code }, '422 validation_failed');
    await person.ask('disableTwoFactor', { password: WRONG, code }, '422 validation_failed');
    await person.ask('disableTwoFactor', { password }, '422 validation_failed');
    await person.ask('disableTwoFactor', { password, code: wrongCode(totp(totpURI)) }, '422 validation_failed');
    await person.ask('disableTwoFactor', { password, code: backupCodes[3] }, '422 validation_failed');
    await person.ask('disableTwoFactor', { password, code }, '200');
  }

  async #signInWithCodes(person: Visitor, email: string, [code]: string[]): Promise<void> {
    const other = this.#visit();
    await other.ask('verifyBackupCode', { code }, '401 unauthorized');
    await other.ask('verifyTotp', { code: '123456' }, '401 unauthorized');
    for (const expected of ['200', '422 validation_failed']) {
      const entered = await other.ask('signIn', { email, password: NEW_PASSWORD }, '200');
      assert.deepEqual(entered, { twoFactorRedirect: true });
      await other.ask('verifyBackupCode', { code }, expected);
    }
    await person.ask('endOtherSessions', undefined, '204');
  }

  /** Exhausts the limits of attempts, and those of invitations, saved views, and API keys. */
  async #useUp(person: Visitor, email: string): Promise<void> {
    const stranger = this.#visit();
    for (let count = 0; count < TRIES; count += 1)
      await stranger.ask('signIn', { email, password: WRONG }, '401 unauthorized');
    await stranger.ask('signIn', { email, password: NEW_PASSWORD }, '429 rate_limited');
    await this.#useUpCodes(person, email);
    for (let count = 0; count < TRIES; count += 1) {
      await person.ask('enableTwoFactor', { password: WRONG }, '422 validation_failed');
    }
    for (const operationId of ['enableTwoFactor', 'disableTwoFactor', 'renewBackupCodes']) {
      await person.ask(operationId, { password: NEW_PASSWORD }, '429 rate_limited');
    }
    await person.ask('startPasskey', { ...PASSKEY, password: NEW_PASSWORD }, '429 rate_limited');
    await this.#useUpLinks();
    const change = { currentPassword: NEW_PASSWORD, newPassword: PASSWORD };
    await person.ask('changePassword', change, '429 rate_limited');
    const invitation = { email: `often-${email}`, role: 'member' };
    for (let count = 0; count < 5; count += 1) await this.#administrator.ask('createInvitation', invitation, '201');
    await this.#administrator.ask('createInvitation', invitation, '429 rate_limited');
    for (let count = 0; count < VIEWS_MAX; count += 1)
      await this.#administrator.ask('saveView', { name: `View ${count}`, search: 'sort=beds' }, '200');
    await this.#administrator.ask('saveView', { name: 'Another', search: 'sort=beds' }, '409 conflict');
    const { id } = await this.#administrator.ask('createApiKey', { name: 'Website' }, '201');
    await this.#administrator.ask('rollApiKey', { expiresInHours: 1 }, '201', id);
    await this.#administrator.ask('rollApiKey', { expiresInHours: 1 }, '409 conflict', id);
  }

  async #useUpLinks(): Promise<void> {
    const stranger = this.#visit();
    const given = { token: NOBODYS_TOKEN };
    for (let count = 0; count < WRONG_LINKS; count += 1)
      await stranger.ask('previewInvitation', given, '404 not_found');
    await stranger.ask('previewInvitation', given, '429 rate_limited');
    await stranger.ask('previewSetup', given, '429 rate_limited');
    const options = await stranger.ask('startPasskeySignIn', undefined, '200');
    const response = new Authenticator(this.#world.url).get(options);
    await stranger.ask('signInWithPasskey', { response }, '429 rate_limited');
    for (let count = 1; count < STARTS; count += 1) await stranger.ask('startPasskeySignIn', undefined, '200');
    await stranger.ask('startPasskeySignIn', undefined, '429 rate_limited');
  }

  async #useUpCodes(person: Visitor, email: string): Promise<void> {
    const { totpURI, backupCodes } = await person.ask('enableTwoFactor', { password: NEW_PASSWORD }, '200');
    await person.ask('verifyTotp', { code: totp(totpURI) }, '200');
    const stranger = this.#visit();
    const code = wrongCode(totp(totpURI));
    for (let tries = 0; tries < TRIES; tries += 5) {
      await stranger.ask('signIn', { email, password: NEW_PASSWORD }, '200');
      for (let count = 0; count < 5; count += 1) {
        const operationId = count % 2 === 0 ? 'verifyTotp' : 'verifyBackupCode';
        await stranger.ask(operationId, { code }, '422 validation_failed');
      }
      await stranger.ask('verifyTotp', { code }, tries === 0 ? '401 unauthorized' : '429 rate_limited');
    }
    await stranger.ask('signIn', { email, password: NEW_PASSWORD }, '200');
    await stranger.ask('verifyTotp', { code: totp(totpURI) }, '429 rate_limited');
    await stranger.ask('verifyBackupCode', { code }, '429 rate_limited');
    await person.ask('disableTwoFactor', { password: NEW_PASSWORD, code: backupCodes[0] }, '200');
  }

  /** Checks that a member's new role and a member's removal take effect at once. */
  async #leave(person: Visitor, userId: string): Promise<void> {
    const administrator = this.#administrator;
    await administrator.ask('updateMember', { role: 'administrator' }, '200', userId);
    await person.ask('listMembers', undefined, '200');
    await administrator.ask('updateMember', { role: 'member' }, '200', userId);
    await person.ask('listMembers', undefined, '403 forbidden');
    await person.ask('deleteMember', undefined, '403 forbidden', this.#world.administratorId);
    await administrator.ask('deleteMember', undefined, '204', userId);
    await administrator.ask('deleteMember', undefined, '404 not_found', userId);
    await person.ask('retrieveOverview', undefined, '401 unauthorized');
    assert.equal(await person.ask('retrieveSession', undefined, '200'), null);
  }
}
