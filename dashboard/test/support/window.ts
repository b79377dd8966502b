import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Browser as Chromium, Page } from 'playwright-core';
import { PASSWORD, type Person } from '../../../testkit/src/browser.ts';
import type { TestService } from '../../../testkit/src/service.ts';

const TIMEOUT_MS = 60_000;

export interface Window {
  page: Page;
  /** What should not be: errors in the console, requests to other hosts. */
  problems: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

interface WindowOptions {
  colorScheme?: 'light' | 'dark';
  width?: number;
  /** Whether pages may use the clipboard. */
  hasClipboard?: boolean;
}

/** A window of a person of its own: nothing is shared with others. */
export async function openWindow(
  chromium: Chromium,
  { url }: Pick<TestService, 'url'>,
  { colorScheme = 'light', width = 1280, hasClipboard = true }: WindowOptions = {},
): Promise<Window> {
  const context = await chromium.newContext({
    baseURL: url,
    viewport: { width, height: 800 },
    colorScheme,
    locale: 'en-US',
    permissions: hasClipboard ? ['clipboard-read', 'clipboard-write'] : [],
  });
  // Machines that test are often busy with other tests.
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // A refused request is told of in the console by the browser itself.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${url}/`)) problems.push(request.url());
  });
  return {
    page,
    problems,
    async [Symbol.asyncDispose]() {
      await context.close();
    },
  };
}

/** Signs in as a person does, and is on the first page. */
export async function signInByForm(page: Page, person: Pick<Person, 'email'>, password = PASSWORD): Promise<void> {
  await page.goto('/sign-in');
  await fillSignIn(page, person, password);
}

/** Signs in on the page that is there for that. */
export async function fillSignIn(page: Page, { email }: Pick<Person, 'email'>, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // On small screens the navigation is behind a button.
  await page.locator('#main').waitFor();
}

/** What axe-core finds on the page, each with the place. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // In the page this is the one that the line above has brought there.
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}

/** Whether something reaches out of the window at its side. */
export async function assertFits(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(content, window, `${page.url()} is wider than the window`);
}
