// In a process of its own, so that only the flood itself delays its measurements.
import { flood } from './flood.ts';

const report = await flood(JSON.parse(process.argv[2] ?? ''), (startMs) => process.send?.(startMs));
process.send?.(report, () => process.exit());
