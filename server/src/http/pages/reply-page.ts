import type { Reply } from '../protocol/reply.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** No third-party content, and no scripts. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Additional directives for pages with scripts, which are separate files. */
export const SCRIPT_POLICY = ["script-src 'self'", "connect-src 'self'"];

export function replyPage(body: string | Buffer, type: string, morePolicy: string[] = []): Reply {
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': [...POLICY, ...morePolicy].join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
  };
  return { status: 200, headers, body };
}
