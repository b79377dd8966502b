import type { LoggedRequest } from '../../api/types';

/**
 * Formats a shell command that repeats a request. The log contains neither the API key nor the body, so the
 * command has placeholders for them.
 */
export function toCurl({ method, path, query }: LoggedRequest, origin = window.location.origin): string {
  return [
    `curl ${methodOption(method)}${quote(`${origin}${path}${query === '' ? '' : `?${query}`}`)}`,
    `-H 'Authorization: Bearer API_KEY'`,
    ...bodyOptions({ method, path }),
  ].join(' \\\n  ');
}

type Target = Pick<LoggedRequest, 'method' | 'path'>;

/** Whether the request sends a file of listings, whose format is not in the log. */
export function isOfFile({ method, path }: Target): boolean {
  return (method === 'POST' && path.endsWith('/imports')) || (method === 'PUT' && path.includes('/feeds/'));
}

function bodyOptions({ method, path }: Target): string[] {
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return [];
  return isOfFile({ method, path })
    ? [`-H 'Content-Type: MEDIA_TYPE'`, '--data-binary @FILE']
    : [`-H 'Content-Type: application/json'`, '--data-binary @body.json'];
}

function methodOption(method: string): string {
  if (method === 'GET') return '';
  return method === 'HEAD' ? '--head ' : `-X ${method} `;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
