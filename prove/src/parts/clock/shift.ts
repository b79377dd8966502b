// Loaded first in a process of the service, and in its threads: their clock is so much ahead as a file says.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const VARIABLE = 'CLOCK_FILE';

/** The environment in which the clock is what `setClock` has made of it. */
export function shiftedEnvironment(file: string, nodeOptions = ''): Record<string, string> {
  return { NODE_OPTIONS: `${nodeOptions} --import=${import.meta.url}`.trim(), [VARIABLE]: file };
}

/** From now on the clocks of all who have the file are so many milliseconds ahead of ours. */
export function setClock(file: string, aheadMs: number): void {
  writeFileSync(`${file}.new`, String(aheadMs));
  renameSync(`${file}.new`, file);
}

const { [VARIABLE]: clockFile } = process.env;
if (clockFile !== undefined) shift(clockFile);

/** Time that is not told by `Date`, such as that of timers, goes on as it does. */
function shift(file: string): void {
  const real = Date;
  const now = () => real.now() + Number(readFileSync(file, 'utf8'));
  globalThis.Date = new Proxy(real, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    apply: () => new real(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}
