// Runs one trial and sends its verdict to the parent process.
import { parts } from './parts.ts';
import { runTrial } from './trial.ts';

const [name, size, seed, what] = process.argv.slice(2);
const part = parts.find((each) => each.name === name);
if (part === undefined || (size !== 'full' && size !== 'small'))
  throw new Error(`there is no part ${name}, or no size ${size}`);
const plantedFault = part.plantedFaults.find((each) => each.what === what);
const say = (text: string) => console.error(`  ${text} …`);
const verdict = await runTrial(part, { size, seed: Number(seed), plantedFault, say });
process.send?.(verdict, () => process.exit());
