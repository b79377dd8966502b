import { FIELD_ERRORS } from '../contract/errors/fields.ts';
import { escapeHtml, prose } from './html.ts';

/** The codes in `details`. */
export function fieldCodes(): string {
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
