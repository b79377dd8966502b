import type { LoggedRequest } from '../../api/types';

/** A shell command that repeats a request. The log has neither the key nor the body. */
export function toCurl({ method, path, query }: LoggedRequest, origin = window.location.origin): string {
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  return [
    `curl ${methodOption(method)}${quote(`${origin}${path}${query === '' ? '' : `?${query}`}`)}`,
    `-H 'Authorization: Bearer API_KEY'`,
    ...(hasBody ? [`-H 'Content-Type: application/json'`, '--data-binary @body.json'] : []),
  ].join(' \\\n  ');
}

function methodOption(method: string): string {
  if (method === 'GET') return '';
  return method === 'HEAD' ? '--head ' : `-X ${method} `;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
