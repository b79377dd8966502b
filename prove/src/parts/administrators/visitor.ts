import { Browser } from '../../../../testkit/src/browser.ts';
import type { Told } from '../../../../testkit/src/openapi.ts';
import { readTold } from '../../service.ts';

/** A browser with its own client address, which a trusted proxy reports. */
export class Visitor extends Browser {
  readonly address: string;

  constructor(url: string, address: string) {
    super({ url });
    this.address = address;
  }

  override fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('X-Forwarded-For', this.address);
    return super.fetch(path, { ...init, headers });
  }

  async get(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Told> {
    return readTold(await this.send(method, path, body, headers));
  }

  enter(email: string, password: string): Promise<Told> {
    return this.get('POST', '/admin/auth/sign-in/email', { email, password });
  }

  async whoIsHere(): Promise<string | undefined> {
    const { text } = await this.get('GET', '/admin/session');
    return JSON.parse(text)?.user.email;
  }

  /** Replaces this browser's cookies with those of another browser. */
  steal(cookies: ReadonlyMap<string, string>): this {
    this.cookies.clear();
    for (const [name, value] of cookies) this.cookies.set(name, value);
    return this;
  }
}
