import { ERROR_CODES, type ErrorCode } from '../../model/errors.ts';
import { ERRORS } from '../contract/errors.ts';
import { fieldCodes } from './field-codes.ts';
import { escapeHtml, page } from './html.ts';

/** `/docs/errors`: all codes, and those of fields. */
export function errorIndex(): string {
  return page(
    'Errors',
    `<h1>Errors</h1>
<p>Every error is JSON of one shape. Its <code>code</code> is for programs and never changes its meaning; its
<code>message</code> says what to do. The header <code>Link</code> of an error reply leads to its page here.</p>
<pre tabindex="0"><code>{"error":{"code":"…","message":"…","requestId":"…","details":[{"field":"…","code":"…","message":"…"}]}}</code></pre>
<p>To report a problem, give the <code>requestId</code>, which also stands in the header <code>X-Request-Id</code>; a 401
has it there only. <code>details</code> is there where fields are at fault.</p>
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
