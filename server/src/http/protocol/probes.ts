import type { Exchange } from './exchange.ts';

export const LIVE_PATH = '/livez';
export const READY_PATH = '/readyz';

/** Whether the request is a health probe, which is never delayed or rejected because of other requests. */
export function isProbe({ path }: Exchange): boolean {
  return path === LIVE_PATH || path === READY_PATH;
}
