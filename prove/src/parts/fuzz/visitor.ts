import assert from 'node:assert/strict';
import { Browser } from '../../../../testkit/src/browser.ts';
import { readTold } from '../../service.ts';
import { findTarget, type Tally } from './caller.ts';
import { errorOf } from './outcome.ts';

export class Visitor {
  readonly browser: Browser;
  readonly #address: string;
  readonly #tally: Tally;

  constructor(url: string, address: string, tally: Tally, browser = new Browser({ url })) {
    this.browser = browser;
    this.#address = address;
    this.#tally = tally;
  }

  /** Asserts the outcome, such as `200` or `422 validation_failed`. @returns the response's JSON */
  async ask(operationId: string, body: object | undefined, expected: string, id = '') {
    const { outcome, text } = await this.try(operationId, body, id);
    const what = `${operationId} with ${JSON.stringify(body)}`;
    assert.equal(outcome, expected, `${what}: ${expected} was expected, but the response is ${outcome}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async try(operationId: string, body: object | undefined, id = ''): Promise<{ outcome: string; text: string }> {
    const target = findTarget('/admin', operationId);
    const { method, path } = target.operation;
    const url = `/admin${path.replace(/\{\w+\}/, id)}`;
    const headers = { 'X-Forwarded-For': this.#address };
    const told = await readTold(await this.browser.send(method.toUpperCase(), url, body, headers));
    this.#tally.count(target, told);
    const { code } = errorOf(told);
    return { outcome: code === undefined ? String(told.status) : `${told.status} ${code}`, text: told.text };
  }
}
