import type { Call } from './call.ts';
import { type ImportFileOptions, type ImportSource, toImportFile } from './import-files.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';
import type { ImportReport } from './types.ts';

export interface ImportOptions extends CallOptions, ImportFileOptions {
  /** Skips the columns of a CSV file that the service does not know. */
  ignoreUnknown?: boolean | undefined;
}

export class Imports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends many listings at once: objects, or a file as bytes. Rows with an `externalId` or `id` change their listing.
   * Unless it is `atomic`, an import that broke off may have saved rows, so it is not sent again by itself: give the
   * rows an `externalId` and run it again.
   */
  create(rows: ImportSource, options: ImportOptions = {}): Call<ImportReport> {
    const { format, atomic, dryRun, ignoreUnknown, ...others } = options;
    const file = toImportFile(rows, { format, atomic, dryRun });
    const query = { atomic, dryRun, ignoreUnknown };
    return this.#transport.call({ method: 'POST', path: '/imports', query, ...file }, others);
  }
}
