import type { Part } from './part.ts';
import { administrators } from './parts/administrators.ts';
import { backups } from './parts/backups.ts';
import { clock } from './parts/clock.ts';
import { crashesPostgres } from './parts/crashes-postgres.ts';
import { crashesSqlite } from './parts/crashes-sqlite.ts';
import { disk } from './parts/disk.ts';
import { fuzz } from './parts/fuzz.ts';
import { hostileHttp } from './parts/hostile-http.ts';
import { isolation } from './parts/isolation.ts';
import { ledger } from './parts/ledger.ts';
import { neighbours } from './parts/neighbours.ts';
import { overload } from './parts/overload.ts';
import { slowAndMany } from './parts/slow-and-many.ts';
import { supplyChain } from './parts/supply-chain.ts';
import { webhooks } from './parts/webhooks.ts';
import { readFaults } from './planted-faults.ts';

/** All parts, in the same order as in the report. */
export const parts: readonly Required<Part>[] = [
  ledger,
  crashesSqlite,
  crashesPostgres,
  disk,
  backups,
  hostileHttp,
  fuzz,
  isolation,
  slowAndMany,
  overload,
  clock,
  administrators,
  supplyChain,
  neighbours,
  webhooks,
].map((part: Part) => ({ ...part, plantedFaults: part.plantedFaults ?? readFaults(part.name) }));
