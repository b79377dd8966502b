import assert from 'node:assert/strict';
import { after } from 'node:test';
import axe from 'axe-core';
import type { Browser as Chromium, Locator, Page } from 'playwright-core';
import { createPerson, PASSWORD, type Person } from '../../../testkit/src/browser.ts';
import { startTestService, type TestService } from '../../../testkit/src/service.ts';
import { until } from '../../../testkit/src/until.ts';
import { launchBrowser } from './chromium.ts';

const TIMEOUT_MS = 60_000;
/** A gray pixel. */
const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

export interface Window {
  page: Page;
  /** Errors, console warnings, and requests to other hosts except for photos. Closing the window fails if any occur. */
  problems: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

interface WindowOptions {
  colorScheme?: 'light' | 'dark';
  width?: number;
  hasClipboard?: boolean;
  /** Default: the service's own. */
  url?: string;
}

/** A service and a browser for the tests of a file. */
export async function startDashboard(options?: Parameters<typeof startTestService>[0]) {
  const service = await startTestService(options);
  const chromium = await launchBrowser();
  after(async () => {
    await chromium.close();
    await service[Symbol.asyncDispose]();
  });
  const open = (options?: WindowOptions) => openWindow(chromium, service, options);
  /** A window signed in as `person`, or as the administrator of a new account. */
  const openSignedIn = async ({ person: given, ...options }: WindowOptions & { person?: Person } = {}) => {
    const person = given ?? (await createPerson(service));
    const window = await open(options);
    await signInByForm(window.page, person);
    return { ...window, person };
  };
  return { service, open, openSignedIn };
}

/** The Listings page of a new account with `count` listings, `1 Elm Street` being the oldest. */
export async function openListings(
  { service, openSignedIn }: Awaited<ReturnType<typeof startDashboard>>,
  count: number,
  options: WindowOptions = {},
) {
  const tenant = await service.createTenant();
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      address: `${index + 1} Elm Street`,
      beds: index % 5,
      baths: 1,
      city: index % 2 ? 'Austin' : 'Waco',
    }),
  );
  if (count > 0) {
    const headers = { 'Content-Type': 'application/x-ndjson' };
    await service.fetch(tenant, '/v1/imports', { method: 'POST', headers, body: lines.join('\n') });
  }
  const person = await createPerson(service, { accountId: tenant.accountId });
  const window = await openSignedIn({ ...options, person });
  await window.page.goto('/listings');
  return { ...window, tenant };
}

/** A window with its own cookies. */
export async function openWindow(
  chromium: Chromium,
  service: Pick<TestService, 'url'>,
  { colorScheme = 'light', width = 1280, hasClipboard = true, url = service.url }: WindowOptions = {},
): Promise<Window> {
  const context = await chromium.newContext({
    baseURL: url,
    viewport: { width, height: 800 },
    colorScheme,
    // Without animations, a dialog is complete when it is on the page.
    reducedMotion: 'reduce',
    locale: 'en-US',
    permissions: hasClipboard ? ['clipboard-read', 'clipboard-write'] : [],
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  // Photos of listings are on other hosts.
  await context.route('https://example.com/**', (route) => route.fulfill({ contentType: 'image/png', body: PHOTO }));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // The browser itself logs each 4xx response.
    const isRejection = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isRejection) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const isPhoto = request.resourceType() === 'image' && request.url().startsWith('https://example.com/');
    const isOwn = /^(data|blob):/.test(request.url()) || request.url().startsWith(`${url}/`);
    if (!isPhoto && !isOwn) problems.push(request.url());
  });
  return {
    page,
    problems,
    async [Symbol.asyncDispose]() {
      await context.close();
      assert.deepEqual(problems, []);
    },
  };
}

export async function signInByForm(page: Page, person: Pick<Person, 'email'>, password = PASSWORD): Promise<void> {
  await page.goto('/sign-in');
  await fillSignIn(page, person, password);
}

/** Signs in on the open sign-in page. */
export async function fillSignIn(page: Page, { email }: Pick<Person, 'email'>, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // On small screens the navigation is behind a button.
  await page.locator('#main').waitFor();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Your menu/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Opens a page and waits until it has loaded. */
export async function openPage(page: Page, path: string, heading?: string): Promise<void> {
  const response = await page.goto(path);
  // Null if only the fragment changes.
  if (response !== null) assert.equal(response.status(), heading === 'Not found' ? 404 : 200, path);
  const name = heading === undefined ? {} : { name: heading, exact: true };
  await page.getByRole('heading', { level: 1, ...name }).waitFor({ state: 'attached' });
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

/** Waits until all animations have ended. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const running = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.all(running.map(({ finished }) => finished.catch(() => undefined)));
  });
}

export async function untilFocused(target: Locator): Promise<void> {
  await target.waitFor();
  await until(`${target} has the focus`, () => target.evaluate((element) => element === document.activeElement));
}

/** The accessibility violations that axe-core finds on the page. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}

export async function assertFits(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(content, window, `${page.url()} is wider than the window`);
}
