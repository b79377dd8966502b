// The service's processes and threads preload this module, which shifts their clock by the content of a file.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const VARIABLE = 'CLOCK_FILE';

/** Returns the environment variables for processes whose clock `setClock` controls. */
export function shiftedEnvironment(file: string, nodeOptions = ''): Record<string, string> {
  return { NODE_OPTIONS: `${nodeOptions} --import=${import.meta.url}`.trim(), [VARIABLE]: file };
}

/** Sets how far ahead the clock is in the processes that use `shiftedEnvironment`. */
export function setClock(file: string, aheadMs: number): void {
  writeFileSync(`${file}.new`, String(aheadMs));
  renameSync(`${file}.new`, file);
}

const { [VARIABLE]: clockFile } = process.env;
if (clockFile !== undefined) shift(clockFile);

/** Shifts `Date`, but not timers. */
function shift(file: string): void {
  const real = Date;
  const now = () => real.now() + Number(readFileSync(file, 'utf8'));
  globalThis.Date = new Proxy(real, {
    construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
    apply: () => new real(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}
