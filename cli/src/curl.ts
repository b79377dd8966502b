import type { Fetch } from '@property-listings/client/request';
import { note } from './output/standard-output.ts';

/** Stands in for `fetch`: prints the first request as a command and sends nothing. `file` is sent instead of a stream. */
export function createCurlPrinter(apiKey: string, file: string | undefined) {
  let hasPrinted = false;
  const masked = `${apiKey.slice(0, 8)}…`;
  const fetch: Fetch = async (url, init) => {
    if (!hasPrinted) {
      process.stdout.write(`${toCommand(url, init, file).replaceAll(apiKey, masked)}\n`);
      note(
        `To run it, put "Authorization: Bearer $PROPERTY_LISTINGS_API_KEY" (in double quotes) where ${masked} stands.`,
      );
    }
    hasPrinted = true;
    throw new Error('Nothing was sent.');
  };
  return { fetch, hasPrinted: () => hasPrinted };
}

function toCommand(url: string, { method = 'GET', headers, body }: RequestInit, file: string | undefined): string {
  // curl has a meaning of its own for brackets.
  const address = url.replaceAll('[', '%5B').replaceAll(']', '%5D');
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(address)}`,
    ...[...new Headers(headers)].map(([name, value]) => `-H ${quote(`${toHeaderCase(name)}: ${value}`)}`),
    ...(body === undefined || body === null ? [] : [describeBody(body, file)]),
  ];
  return lines.join(' \\\n  ');
}

function describeBody(body: NonNullable<RequestInit['body']>, file: string | undefined): string {
  // Not --data-binary, which reads the whole file into memory.
  return file === undefined ? `--data-raw ${quote(String(body))}` : `--upload-file ${quote(file)}`;
}

/** As a shell takes it for one word, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function toHeaderCase(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
