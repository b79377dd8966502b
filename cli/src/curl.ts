import type { Fetch } from '@property-listings/client/request';
import { note } from './output/standard-output.ts';

/** The files that the printed curl command reads or writes. Without `--curl`, the CLI streams their content. */
export interface CurlFiles {
  sent?: string;
  received?: string | undefined;
}

const KEY_VARIABLE = 'PROPERTY_LISTINGS_API_KEY';

/** Creates a replacement for `fetch` that prints the first request as a curl command and sends nothing. */
export function createCurlPrinter(apiKey: string, files: CurlFiles) {
  let hasPrinted = false;
  const fetch: Fetch = async (url, init) => {
    if (!hasPrinted) {
      // `toCommand` omits the key from the headers, but a field of the request could contain it.
      process.stdout.write(`${toCommand(url, init, files).replaceAll(apiKey, `${apiKey.slice(0, 8)}…`)}\n`);
      if (!process.env[KEY_VARIABLE]) note(`To run it, set ${KEY_VARIABLE} to your API key.`);
    }
    hasPrinted = true;
    throw new Error('Nothing was sent.');
  };
  return { fetch, hasPrinted: () => hasPrinted };
}

function toCommand(url: string, { method = 'GET', headers, body }: RequestInit, files: CurlFiles): string {
  // curl would expand brackets as a range.
  const address = url.replaceAll('[', '%5B').replaceAll(']', '%5D');
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(address)}`,
    ...[...new Headers(headers)].map(([name, value]) => toHeaderOption(name, value)),
    ...(body === undefined || body === null ? [] : [toBodyOption(body, files)]),
    ...(files.received === undefined ? [] : [`-o ${quote(files.received)}`]),
  ];
  return lines.join(' \\\n  ');
}

/** The printed command reads the key from a shell variable, so it is safe to share and still runs. */
function toHeaderOption(name: string, value: string): string {
  if (name === 'authorization') return `-H "Authorization: Bearer $${KEY_VARIABLE}"`;
  const capitalized = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return `-H ${quote(`${capitalized}: ${value}`)}`;
}

function toBodyOption(body: NonNullable<RequestInit['body']>, { sent }: CurlFiles): string {
  // --data-binary would read the whole file into memory.
  return sent === undefined ? `--data-raw ${quote(String(body))}` : `--upload-file ${quote(sent)}`;
}

/** Quotes any string as one shell word. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
