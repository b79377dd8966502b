import { ApiError, checkSession, toApiError, toSearch, type UploadQuery, unreachable } from './client';
import { shownAccountHeader } from './shown';

const LOST =
  'The connection was lost before the service responded. Unless this was a check, some rows may have been saved.';
const STOPPED = 'Import stopped. Unless this was a check, some rows may have been saved.';

interface UploadOptions {
  method: 'POST' | 'PUT';
  path: string;
  query?: UploadQuery;
  file: File;
  type: string;
  /** Receives the fraction of the file that has been sent, from 0 to 1. */
  onProgress?: (fraction: number) => void;
  /**
   * Receives the number of rows that have been processed. With this option, the response consists of lines,
   * and the last line is the result.
   */
  onRows?: (count: number) => void;
  signal?: AbortSignal;
}

/**
 * Sends a file and reports its progress, which `fetch` cannot do.
 * @returns the parsed JSON
 * @throws {ApiError}
 */
export async function upload<T>(options: UploadOptions): Promise<T> {
  const { method, path, query, file, type, onProgress, onRows, signal } = options;
  const call = new XMLHttpRequest();
  call.open(method, path + toSearch(query));
  const accept = onRows === undefined ? 'application/json' : 'application/x-ndjson';
  const headers = { 'Content-Type': type, Accept: accept, ...shownAccountHeader() };
  for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
  call.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 1 : loaded / total);
  if (onRows !== undefined) call.onprogress = () => onRows(lastCount(call.responseText));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  call.onload = () => resolve();
  call.onerror = () => reject(unreachable(LOST));
  call.onabort = () => reject(new ApiError(0, 'aborted', STOPPED));
  signal?.addEventListener('abort', () => call.abort());
  call.send(file);
  await promise;
  const text = onRows === undefined ? call.responseText : (call.responseText.trimEnd().split('\n').at(-1) ?? '');
  const isFailed = call.status >= 300 || text.startsWith('{"error"');
  if (!isFailed) return JSON.parse(text);
  throw checkSession(toApiError(call.status, text, { get: (name: string) => call.getResponseHeader(name) }));
}

/** The number in the last complete line, which looks like `{"rows":8400}`; 0 if there is none. */
function lastCount(text: string): number {
  const [line = ''] = text.split('\n').slice(-2);
  return Number(/^\{"rows":(\d+)\}$/.exec(line)?.[1] ?? 0);
}
