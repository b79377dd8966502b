import { ApiError, type Query, toApiError, toRefusal, toSearch, unreachable } from './client';
import { shownAccountHeader } from './shown';

const LOST = 'The connection was lost before the service had answered. Rows that came before may be there.';

/**
 * Sends a file and tells how much of it is out: `fetch` cannot say that.
 * @returns the reply's JSON
 * @throws {ApiError}
 */
export function upload<T>(
  path: string,
  query: Query,
  file: File,
  type: string,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise<string>((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open('POST', path + toSearch(query));
    call.setRequestHeader('Content-Type', type);
    call.setRequestHeader('Accept', 'application/json');
    for (const [name, value] of Object.entries(shownAccountHeader())) call.setRequestHeader(name, value);
    const headers = { get: (name: string) => call.getResponseHeader(name) };
    call.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    call.onload = () => {
      if (call.status >= 200 && call.status < 300) resolve(call.responseText);
      else reject(toRefusal(toApiError(call.status, call.responseText, headers)));
    };
    call.onerror = () => reject(unreachable(LOST));
    call.onabort = () => reject(new ApiError(0, 'aborted', 'Stopped. Rows that came before may be there.'));
    signal.addEventListener('abort', () => call.abort());
    call.send(file);
  }).then((text) => JSON.parse(text));
}
