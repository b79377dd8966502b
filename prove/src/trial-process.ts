// One trial in a process of its own, which tells its parent what came of it.
import { parts } from './parts.ts';
import { runTrial } from './trial.ts';

const [name, size, seed, faultName] = process.argv.slice(2);
const part = parts.find((each) => each.name === name);
if (part === undefined || (size !== 'full' && size !== 'small')) throw new Error(`no trial of ${name}, ${size}`);
const fault = part.faults.find((each) => each.name === faultName);
const say = (text: string) => console.error(`  ${text} …`);
const verdict = await runTrial(part, { size, seed: Number(seed), fault, say });
process.send?.(verdict, () => process.exit());
