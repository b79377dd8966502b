import { type Answer, Call } from './call.ts';
import { NDJSON, toLines } from './complete-list.ts';
import { type ImportFileOptions, type ImportSource, toImportFile } from './import-files.ts';
import type { CallOptions } from './options.ts';
import { unreadable } from './replies.ts';
import { parse, type Transport } from './transport.ts';
import type { ImportFailure, ImportReport } from './types.ts';

export interface ImportOptions extends CallOptions, ImportFileOptions {
  /**
   * Column or member name → field, RESO name, or `metadata.NAME`; an empty string skips the column:
   * `{ Price: 'listPrice', Notes: 'metadata.notes', Agent: '' }`.
   */
  map?: Readonly<Record<string, string>> | undefined;
  /**
   * `FIELD:WORD` → the value that the word stands for in this field, such as `{ 'status:Verkauft': 'closed' }`.
   * An empty string means no value.
   */
  values?: Readonly<Record<string, string>> | undefined;
  /** Field → its value in rows that have none: `{ stateOrProvince: 'TX', currency: 'EUR' }`. */
  defaults?: Readonly<Record<string, string>> | undefined;
  /** Reads values as people write them, such as `$450,000`; an ambiguous value is an error. */
  clean?: boolean | undefined;
  /** With `clean`: the order of day and month in dates such as 03/04/2026. */
  dates?: 'mdy' | 'dmy' | undefined;
  /** With `clean`: the decimal separator in numbers such as 267.500. */
  decimal?: 'comma' | 'point' | undefined;
  /** `replace` also removes the fields that a row does not have. Default: `merge`. */
  mode?: 'merge' | 'replace' | undefined;
  /** Skips columns and members that the service does not know. */
  ignoreUnknown?: boolean | undefined;
  /**
   * Called with every failed row, unless the import is `atomic`; the report contains only the first 100. The client
   * awaits each call before it continues.
   */
  onFailure?: ((failure: ImportFailure) => unknown) | undefined;
}

export class Imports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Imports listings from objects or a file. A row with the `externalId` or `id` of an existing listing
   * changes that listing: fields that the row does not have stay as they are, and `null` or an empty cell
   * removes a field. Unless it is `atomic`, an interrupted import may have saved some rows, and is not
   * retried. If each row has an `externalId`, you can run the import again without creating duplicates.
   */
  create(rows: ImportSource, options: ImportOptions = {}): Call<ImportReport> {
    const { map, values, defaults, clean, dates, decimal, ignoreUnknown, mode, atomic, dryRun, ...rest } = options;
    const query = { map, values, defaults, clean, dates, decimal, ignoreUnknown, mode, atomic, dryRun };
    const { format, onFailure, ...others } = rest;
    const file = toImportFile(rows, { format, atomic, dryRun });
    const operation = { method: 'POST', path: '/imports', query, ...file } as const;
    if (onFailure === undefined) return this.#transport.call(operation, others);
    const headers = { ...file.headers, Accept: NDJSON };
    const call = this.#transport.open({ ...operation, headers }, others);
    const answer = readReport(call, onFailure);
    // The call that is returned reports the rejection.
    answer.catch(() => {});
    return new Call(() => answer);
  }
}

/** Only the last line, the report, proves that the response is complete. */
async function readReport(
  call: Call<AsyncIterable<Uint8Array>>,
  onFailure: (failure: ImportFailure) => unknown,
): Promise<Answer<ImportReport>> {
  const { data, response } = await call.withResponse();
  let report: ImportReport | undefined;
  for await (const lines of toLines(data)) {
    for (const line of lines) {
      const row = parse<ImportFailure | ImportReport>(line);
      if ('line' in row) await onFailure(row);
      else report = row;
    }
  }
  if (report === undefined) throw unreadable();
  return { data: report, response };
}
