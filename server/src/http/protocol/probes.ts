import type { Exchange } from './exchange.ts';

export const LIVE_PATH = '/livez';
export const READY_PATH = '/readyz';

/** Whether a request asks how the service is: that is answered however many others wait. */
export function isProbe({ path }: Exchange): boolean {
  return path === LIVE_PATH || path === READY_PATH;
}
