import type { Told } from '../../../../testkit/src/openapi.ts';
import type { ServeProcess } from '../../../../testkit/src/process.ts';

interface Given {
  body?: unknown;
  key?: string;
  retryKey?: string;
}

/** A client that knows the service's clock. */
export class Caller {
  service: ServeProcess;
  readonly key: string;
  #aheadMs = 0;
  leastAheadMs = 0;
  mostAheadMs = 0;

  constructor(service: ServeProcess, key: string) {
    this.service = service;
    this.key = key;
  }

  get nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  setAhead(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    this.leastAheadMs = Math.min(this.leastAheadMs, aheadMs);
    this.mostAheadMs = Math.max(this.mostAheadMs, aheadMs);
  }

  async send(method: string, path: string, { body, key = this.key, retryKey }: Given = {}): Promise<Told> {
    const headers = new Headers({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });
    if (retryKey !== undefined) headers.set('Idempotency-Key', retryKey);
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    const response = await fetch(`${this.service.url}/v1${path}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}
