import assert from 'node:assert/strict';
import type { ServeProcess } from '../../../../testkit/src/process.ts';
import { until } from '../../../../testkit/src/until.ts';
import type { Trial } from '../../part.ts';
import { serve } from '../../service.ts';

const SOON_MS = 20_000;

/** As `until`; what does not come soon is a broken promise. */
export async function expectSoon(what: string, ask: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, ask, SOON_MS).catch(() => assert.fail(`${SOON_MS / 1_000} s have passed, and not: ${what}`));
}

/** The service, or what it says when it ends before it listens. */
export async function startOrWords(trial: Trial, settings: Record<string, string>): Promise<ServeProcess | string> {
  return serve(trial, settings).catch((error: Error) => error.message);
}
