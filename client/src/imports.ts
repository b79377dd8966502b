import type { Call } from './call.ts';
import { type ImportFileOptions, type ImportSource, toImportFile } from './import-files.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import type { ImportReport } from './types.ts';

export interface ImportOptions extends CallOptions, ImportFileOptions {
  /** Skips CSV columns that the service does not know. */
  ignoreUnknown?: boolean | undefined;
}

export class Imports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Imports many listings, from objects or a file. A row whose `externalId` or `id` exists updates that listing.
   * Unless `atomic`, an interrupted import may have saved rows and is not retried: give each row an `externalId` and
   * run the import again.
   */
  create(rows: ImportSource, options: ImportOptions = {}): Call<ImportReport> {
    const { format, atomic, dryRun, ignoreUnknown, ...others } = options;
    const file = toImportFile(rows, { format, atomic, dryRun });
    const query = { atomic, dryRun, ignoreUnknown };
    return this.#transport.call({ method: 'POST', path: '/imports', query, ...file }, others);
  }
}
