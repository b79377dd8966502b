import { type Caller, call, SESSION_GATE } from '../../../../testkit/src/calls.ts';
import { type DocumentedOperation, OpenApiDocument, type Told } from '../../../../testkit/src/openapi.ts';
import type { Scene } from './scene.ts';
import type { Visitor } from './visitor.ts';

export async function readOperations(browser: Visitor): Promise<DocumentedOperation[]> {
  const { text } = await browser.get('GET', '/admin/openapi.json');
  return new OpenApiDocument(text).operations;
}

interface Change {
  query?: string;
  headers?: Record<string, string>;
  body?: string;
}

export async function callAs(
  caller: Caller,
  operation: DocumentedOperation,
  ids: Record<string, string>,
  change: Change = {},
): Promise<Told> {
  const response = await call({ gate: SESSION_GATE, caller, ids }, operation, change);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function pathOf({ path }: DocumentedOperation, ids: Record<string, string>): string {
  return `/admin${path.replace(/\{(\w+)\}/, (_, name) => ids[name] ?? 'nobody')}`;
}

export function nameOf({ method, path }: DocumentedOperation): string {
  return `${method.toUpperCase()} /admin${path}`;
}

/** The whole database, except when something was last used. */
export async function stateOf({ database }: Scene): Promise<string> {
  const tables = await database.sql("select name from sqlite_schema where type = 'table' order by name");
  const rows = await Promise.all(tables.map(({ name }) => database.sql(`select * from "${name}"`)));
  return JSON.stringify(rows, (name, value) =>
    /^(last_used_at|updated_at|expires_at)$/.test(name) ? undefined : value,
  );
}
