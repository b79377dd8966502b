import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchBrowser } from '../../dashboard/test/support/chromium.ts';
import { until } from '../../testkit/src/until.ts';
import { formatTable } from './formats.ts';
import { makeFile, makeListings, sendFile } from './imports.ts';
import { describeCommit, describeMachine, type Machine } from './machine.ts';
import { type Place, say } from './place.ts';
import { formatTargets } from './report.ts';
import { type Service, startService } from './service.ts';
import { median } from './statistics.ts';
import type { Target } from './targets.ts';

const ROOT = join(import.meta.dirname, '../..');
const VISITS = 10;
const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery staple';
/** The browser reports only interactions that take at least this long. */
const SHORTEST_MS = 16;
const REPORT_MS = 200;

/** Records the time to the first row, layout shifts, and the longest time from an interaction to the next paint. */
const RECORDER = `
  window.recorded = { firstRowMs: 0, shift: 0, interactionMs: 0 };
  const rows = new MutationObserver(() => {
    if (document.querySelector('tbody .row-link') === null) return;
    rows.disconnect();
    requestAnimationFrame(() => { recorded.firstRowMs = performance.now(); });
  });
  rows.observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) recorded.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration, interactionId } of list.getEntries())
      if (interactionId > 0) recorded.interactionMs = Math.max(recorded.interactionMs, duration);
  }).observe({ type: 'event', durationThreshold: ${SHORTEST_MS} });
`;

type Browser = Awaited<ReturnType<typeof launchBrowser>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;
type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

type Recorded = { firstRowMs: number; shift: number; interactionMs: number };

/** Measurements of a browser's first visit to the Listings page. */
type Visit = { firstRowMs: number; shift: number; sortMs: number; selectMs: number; openMs: number };

/** One line of the results file. */
export type DashboardResults = {
  date: string;
  commit: string;
  machine: Machine;
  isPinned: boolean;
  listings: number;
  visits: Visit[];
};

/** Measures the Listings page. If pinning is possible, the service and the browser share a core. */
export async function runDashboardBench(place: Place, listings: number): Promise<DashboardResults> {
  const date = new Date().toISOString();
  mkdirSync(join(place.directory, 'data'));
  const { driver } = place.cores ?? {};
  const cores = driver === undefined ? undefined : { server: driver, driver, all: driver };
  const settings = { ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: PASSWORD };
  const service = await startService({ ...place, cores, settings });
  const browser = await launchBrowser();
  say(`importing ${listings} listings`);
  const cookies = await fillAccount(browser, service, listings);
  const visits: Visit[] = [];
  while (visits.length < VISITS) {
    say(`visit ${visits.length + 1} of ${VISITS}`);
    visits.push(await visit(browser, service, cookies));
  }
  await browser.close();
  await service.stop();
  const isPinned = cores !== undefined;
  return { date, commit: describeCommit(ROOT), machine: describeMachine(), isPinned, listings, visits };
}

/** Signs in and imports the listings. @returns the session's cookies */
async function fillAccount(browser: Browser, { port }: Service, listings: number): Promise<Cookies> {
  const page = await browser.newPage({ baseURL: `http://127.0.0.1:${port}` });
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#main').waitFor();
  const created = await page.request.post('/admin/api-keys', {
    data: { name: 'Bench' },
    headers: { Origin: `http://127.0.0.1:${port}` },
  });
  const { key } = await created.json();
  const result = await sendFile(port, key, 'POST', '/v1/imports', makeFile(makeListings(listings)));
  if (JSON.parse(result).created !== listings) throw new Error(`Import: ${result.slice(0, 1000)}`);
  const cookies = await page.context().cookies();
  await page.context().close();
  return cookies;
}

async function visit(browser: Browser, { port }: Service, cookies: Cookies): Promise<Visit> {
  const context = await browser.newContext({ baseURL: `http://127.0.0.1:${port}` });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.addInitScript(RECORDER);
  const firstRow = page.locator('tbody tr').first();
  await page.goto('/listings');
  await until('the first row is shown', async () => (await recordedOn(page)).firstRowMs > 0);
  await page.evaluate('new Promise((done) => requestIdleCallback(() => done()))');
  const sortMs = await during(page, async () => {
    const before = await firstRow.getAttribute('data-id');
    await page.getByRole('columnheader', { name: 'Price' }).getByRole('button').click();
    await until('the rows are sorted', async () => (await firstRow.getAttribute('data-id')) !== before);
  });
  const selectMs = await during(page, async () => {
    await firstRow.getByRole('checkbox').click();
    await page.getByRole('group', { name: 'Selected listings' }).waitFor();
  });
  const { firstRowMs, shift } = await recordedOn(page);
  const openMs = await during(page, async () => {
    await firstRow.locator('.row-link').click();
    await page.getByRole('tab', { name: 'History' }).waitFor();
  });
  await context.close();
  return { firstRowMs, shift, sortMs, selectMs, openMs };
}

/** Returns the duration of the longest interaction during `interact` in ms, or `SHORTEST_MS` if that is longer. */
async function during(page: Page, interact: () => Promise<void>): Promise<number> {
  await page.evaluate('recorded.interactionMs = 0');
  await interact();
  // Wait, because the browser reports interactions only after the frame in which they were painted.
  await page.evaluate(`new Promise((done) => setTimeout(() => requestIdleCallback(done), ${REPORT_MS}))`);
  return Math.max((await recordedOn(page)).interactionMs, SHORTEST_MS);
}

function recordedOn(page: Page): Promise<Recorded> {
  return page.evaluate('recorded');
}

export function listDashboardTargets({ visits, isPinned }: DashboardResults): Target[] {
  const of = (name: keyof Visit) => median(visits.map((each) => each[name]));
  const ms = { limit: 'at most', unit: 'ms', isQuiet: isPinned } as const;
  return [
    { name: 'Listings: first rows', ...ms, value: 1_000, got: of('firstRowMs') },
    { name: 'sort: next paint', ...ms, value: 100, got: of('sortMs') },
    { name: 'select: next paint', ...ms, value: 100, got: of('selectMs') },
    { name: 'open: next paint', ...ms, value: 100, got: of('openMs') },
    { name: 'layout shift', ...ms, unit: '', value: 0.05, got: of('shift') },
  ];
}

export function formatDashboardReport(results: DashboardResults): string {
  const { date, commit, machine, listings, visits } = results;
  const row = (name: string, field: keyof Visit) => {
    const values = visits.map((each) => each[field]).toSorted((one, next) => one - next);
    return [name, ...values.map((value) => value.toFixed(field === 'shift' ? 3 : 0))];
  };
  return [
    `${date}  commit ${commit}  ${machine.cpu}, node ${machine.node}; the service and the browser on one core`,
    `${listings.toLocaleString('en-US')} listings, ${visits.length} visits`,
    '',
    formatTable([
      row('first rows (ms)', 'firstRowMs'),
      row('sort (ms)', 'sortMs'),
      row('select (ms)', 'selectMs'),
      row('open (ms)', 'openMs'),
      row('layout shift', 'shift'),
    ]),
    '',
    formatTargets(listDashboardTargets(results)),
  ].join('\n');
}
