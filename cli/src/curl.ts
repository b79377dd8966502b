import type { Fetch } from '@property-listings/client/request';
import { note } from './output/standard-output.ts';

/** What a request reads or writes as a stream: in the command these files take its place. */
export interface CurlFiles {
  sent?: string;
  received?: string | undefined;
}

const KEY_VARIABLE = 'PROPERTY_LISTINGS_API_KEY';

/** Stands in for `fetch`: prints the first request as a command and sends nothing. */
export function createCurlPrinter(apiKey: string, files: CurlFiles) {
  let hasPrinted = false;
  const fetch: Fetch = async (url, init) => {
    if (!hasPrinted) {
      // It is in the header alone, unless somebody has put it into a field.
      process.stdout.write(`${toCommand(url, init, files).replaceAll(apiKey, `${apiKey.slice(0, 8)}…`)}\n`);
      if (!process.env[KEY_VARIABLE]) note(`To run it, put the key into ${KEY_VARIABLE}.`);
    }
    hasPrinted = true;
    throw new Error('Nothing was sent.');
  };
  return { fetch, hasPrinted: () => hasPrinted };
}

function toCommand(url: string, { method = 'GET', headers, body }: RequestInit, files: CurlFiles): string {
  // curl has a meaning of its own for brackets.
  const address = url.replaceAll('[', '%5B').replaceAll(']', '%5D');
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(address)}`,
    ...[...new Headers(headers)].map(([name, value]) => describeHeader(name, value)),
    ...(body === undefined || body === null ? [] : [describeBody(body, files)]),
    ...(files.received === undefined ? [] : [`-o ${quote(files.received)}`]),
  ];
  return lines.join(' \\\n  ');
}

/** The key as the shell's variable, so that the command can be shown and still runs. */
function describeHeader(name: string, value: string): string {
  if (name === 'authorization') return `-H "Authorization: Bearer $${KEY_VARIABLE}"`;
  return `-H ${quote(`${toHeaderCase(name)}: ${value}`)}`;
}

function describeBody(body: NonNullable<RequestInit['body']>, { sent }: CurlFiles): string {
  // Not --data-binary, which reads the whole file into memory.
  return sent === undefined ? `--data-raw ${quote(String(body))}` : `--upload-file ${quote(sent)}`;
}

/** As a shell takes it for one word, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function toHeaderCase(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
