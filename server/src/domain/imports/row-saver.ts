import { AppError } from '../../model/errors.ts';
import { BATCH_LENGTH } from '../../storage/batches.ts';
import { keepInMemory } from '../../storage/open.ts';
import type { Writing } from '../writing/writing.ts';
import { ImportPlan } from './import-plan.ts';
import type { ImportRow, RowOutcome } from './import-rows.ts';

/** Rows per transaction: one full batch, which takes about 5 ms to write. Other writes then get their turn. */
const ROWS_MAX = BATCH_LENGTH;
/** Maximum bytes that a transaction with several rows reads and writes. */
const BYTES_MAX = 256 * 1024;

/** Saves the rows of a file in transactions that are short even if the rows or their listings are large. */
export class RowSaver {
  #count = ROWS_MAX;

  /** Saves at least the first row, and returns the outcomes. Each row sees the changes of the rows before it. */
  async save(writing: Writing, rows: readonly ImportRow[]): Promise<RowOutcome[]> {
    const plan = await this.#plan(writing, rows);
    await plan.batch.store(writing);
    Object.assign(writing.account, plan.countsAfter);
    return plan.outcomes;
  }

  async #plan({ transaction, account, versionFloor }: Writing, rows: readonly ImportRow[]): Promise<ImportPlan> {
    for (;;) {
      const some = rows.slice(0, this.#count);
      const bytesMax = some.length > 1 ? BYTES_MAX : Number.POSITIVE_INFINITY;
      const plan = new ImportPlan(some, account, { versionFloor, bytesMax, keep: keepInMemory });
      try {
        await plan.make(transaction, async () => {});
        if (plan.bytes < BYTES_MAX / 4) this.#count = Math.min(2 * this.#count, ROWS_MAX);
        return plan;
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'payload_too_large')) throw error;
        this.#count = Math.ceil(some.length / 4);
      }
    }
  }
}
