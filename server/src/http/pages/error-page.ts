import { STATUS_CODES } from 'node:http';
import { ERROR_CODES, type ErrorCode } from '../../model/errors.ts';
import { FIELD_ERRORS } from '../contract/errors/fields.ts';
import { ERRORS } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { Api } from '../openapi/api.ts';
import { bodyOf, exampleError } from '../openapi/error-examples.ts';
import { tagOf } from '../openapi/tags.ts';
import { escapeHtml, page, prose } from './html.ts';

export interface Apis {
  v1: Api;
  admin: Api;
}

/** `/docs/errors`: all error codes and field codes. */
export function errorIndex(): string {
  return page(
    'Errors',
    `<h1>Errors</h1>
<p>Every error is JSON in one format. Its <code>code</code> is for programs and never changes its meaning; its
<code>message</code> says what to do. The <code>Link</code> header of an error response points to its page here.</p>
<pre tabindex="0"><code>{"error":{"code":"…","message":"…","requestId":"…","details":[{"field":"…","code":"…","message":"…"}]}}</code></pre>
<p>When you report a problem, include the <code>requestId</code>. It is also in the <code>X-Request-Id</code> header; in
a 401 response, it is only in that header. <code>details</code> is present if fields are not valid.</p>
<h2>Codes</h2>
<ul class="codes">
${ERROR_CODES.map(item).join('\n')}
</ul>
${fieldCodes()}`,
  );
}

function item(code: ErrorCode): string {
  const { status, title } = ERRORS[code];
  return `<li><span class="quiet">${status}</span> <a href="/docs/errors/${code}"><code>${code}</code></a> ${escapeHtml(title)}.</li>`;
}

/** The codes in `details`. */
function fieldCodes(): string {
  const rows = Object.entries(FIELD_ERRORS).map(
    ([code, { meaning, message }]) =>
      `<dt id="${code}"><code>${code}</code></dt>\n<dd>${prose(meaning)} <q>${escapeHtml(message)}</q></dd>`,
  );
  return `<h2 id="fields">Field codes</h2>
<p>Each element of <code>details</code> has the path of a field, one of these codes, and a message such as the one shown.</p>
<dl>
${rows.join('\n')}
</dl>`;
}

/** The page `/docs/errors/<code>`. */
export function errorPage(code: ErrorCode, apis: Apis): string {
  const { status, title, meaning, remedy, commands = [] } = ERRORS[code];
  return page(
    code,
    `<p class="status quiet">${status} ${STATUS_CODES[status]}</p>
<h1><code>${code}</code></h1>
<p class="title">${escapeHtml(title)}.</p>
<h2>Meaning</h2>
<p>${prose(meaning)}</p>
<h2>What to do</h2>
<p>${prose(remedy)}</p>
<h2>Example</h2>
${commands.length === 0 ? '' : describeCommands(commands)}
${block(exampleReply(code, apis))}
${code === 'validation_failed' ? fieldCodes() : ''}
${describeOperations(code, apis)}`,
  );
}

function block(text: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;
}

function describeCommands(commands: readonly string[]): string {
  const explanation = '`$API` is the base URL, such as `http://127.0.0.1:3000/v1`, and `$KEY` is an API key:';
  return `<p>${prose(explanation)}</p>\n${block(commands.map((command) => `$ ${command}`).join('\n'))}`;
}

function exampleReply(code: ErrorCode, { v1 }: Apis): string {
  const { status, headers = {} } = ERRORS[code];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const body = JSON.stringify(bodyOf(exampleError(code, v1)), null, 2);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\n${lines.join('')}\n${body}`;
}

/** The operations that return this error; dashboard operations only if there are no others. */
function describeOperations(code: ErrorCode, { v1, admin }: Apis): string {
  const ofPrograms = operationsWith(code, v1);
  if (ofPrograms.length > 0) return listOperations(ofPrograms, v1, '/docs');
  const ofPeople = operationsWith(code, admin);
  return ofPeople.length > 0 ? listOperations(ofPeople, admin, '/docs/admin') : '';
}

function operationsWith(code: ErrorCode, api: Api): AnyOperation[] {
  return api.operations.filter((operation) => api.errorsOf(operation).includes(code));
}

function listOperations(operations: AnyOperation[], api: Api, reference: string): string {
  if (operations.length === api.operations.length)
    return '<h2>Operations</h2>\n<p>Every operation can return this error.</p>';
  const items = operations.map((operation) => {
    const { method, path, operationId, summary } = operation;
    const link = `${reference}#/${encodeURIComponent(tagOf(operation).name)}/${operationId}`;
    return `<li><a href="${link}"><code>${method.toUpperCase()} ${api.base}${path}</code></a> ${escapeHtml(summary)}</li>`;
  });
  return `<h2>Operations</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}
