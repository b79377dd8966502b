import { ERROR_CODES, type ErrorCode } from '../../model/errors.ts';
import { ERRORS } from '../contract/errors.ts';
import { fieldCodes } from './field-codes.ts';
import { escapeHtml, page } from './html.ts';

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
