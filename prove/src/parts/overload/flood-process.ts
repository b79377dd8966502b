// Floods from a process of its own, so that nothing but the flood keeps it from noticing when a reply comes.
import { flood } from './flood.ts';

const report = await flood(JSON.parse(process.argv[2] ?? ''), (startMs) => process.send?.(startMs));
process.send?.(report, () => process.exit());
