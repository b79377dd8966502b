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
  /** `FIELD:WORD` → what the word means in the field; an empty string means no value: `{ 'status:Verkauft': 'closed' }`. */
  values?: Readonly<Record<string, string>> | undefined;
  /** Field → its value in rows that have none: `{ stateOrProvince: 'TX', currency: 'EUR' }`. */
  defaults?: Readonly<Record<string, string>> | undefined;
  /** Reads values as people write them, such as `$450,000`; an ambiguous value is an error. */
  clean?: boolean | undefined;
  /** The order of dates such as 03/04/2026, with `clean`. */
  dates?: 'mdy' | 'dmy' | undefined;
  /** The decimal separator of numbers such as 267.500, with `clean`. */
  decimal?: 'comma' | 'point' | undefined;
  /** `replace` also removes the fields that a row does not have. Default: `merge`. */
  mode?: 'merge' | 'replace' | undefined;
  /** Skips columns and members that the service does not know. */
  ignoreUnknown?: boolean | undefined;
  /** Receives every failed row; the report has only the first 100. The import waits for it. */
  onFailure?: ((failure: ImportFailure) => unknown) | undefined;
}

export class Imports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Imports many listings, from objects or a file. A row whose `externalId` or `id` exists changes that listing: absent
   * fields stay, and `null` or an empty cell removes one. Unless `atomic`, an interrupted import may have saved rows and
   * is not retried: give each row an `externalId` and run the import again.
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
    // A rejection is reported by the call.
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
