import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '../../model/errors.ts';
import { ERRORS } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import type { Api } from '../openapi/api.ts';
import { bodyOf, exampleError } from '../openapi/error-examples.ts';
import { tagOf } from '../openapi/tags.ts';
import { fieldCodes } from './field-codes.ts';
import { escapeHtml, page, prose } from './html.ts';

export interface Apis {
  v1: Api;
  admin: Api;
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
