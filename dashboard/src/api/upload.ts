import { ApiError, checkSession, type Query, toApiError, toSearch, unreachable } from './client';
import { shownAccountHeader } from './shown';

const LOST = 'The connection was lost before the service responded. Some rows may have been saved.';
const STOPPED = 'Import stopped. Some rows may have been saved.';

/**
 * Sends a file and reports its progress, which `fetch` cannot do.
 * @returns the parsed JSON
 * @throws {ApiError}
 */
export async function upload<T>(
  method: 'POST' | 'PUT',
  path: string,
  query: Query,
  file: File,
  type: string,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<T> {
  const call = new XMLHttpRequest();
  call.open(method, path + toSearch(query));
  const headers = { 'Content-Type': type, Accept: 'application/json', ...shownAccountHeader() };
  for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
  call.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  call.onload = () => resolve();
  call.onerror = () => reject(unreachable(LOST));
  call.onabort = () => reject(new ApiError(0, 'aborted', STOPPED));
  signal.addEventListener('abort', () => call.abort());
  call.send(file);
  await promise;
  if (call.status >= 200 && call.status < 300) return JSON.parse(call.responseText);
  throw checkSession(
    toApiError(call.status, call.responseText, { get: (name: string) => call.getResponseHeader(name) }),
  );
}
