// Runs a flood in a separate process, so that only the flood itself delays its measurements.
import { Flood } from '../../../../bench/src/flood.ts';

const { seconds, ...order } = JSON.parse(process.argv[2] ?? '');
const report = await new Flood(order).run(seconds, (startMs) => process.send?.(startMs));
process.send?.(report, () => process.exit());
