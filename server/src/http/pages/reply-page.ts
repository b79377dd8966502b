import type { Reply } from '../protocol/reply.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Everything comes from this machine, and nothing runs. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** What a page needs besides on which scripts run: each stands in a file of its own. */
export const SCRIPT_POLICY = ["script-src 'self'", "connect-src 'self'"];

/** A page of the documentation, or a file that one needs. */
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
