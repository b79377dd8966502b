import { AppError } from '../../model/errors.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';

/** Targets by method. */
type Methods<T> = Map<string, T>;

interface Pattern<T> {
  expression: RegExp;
  names: string[];
  methods: Methods<T>;
}

export type PublicHandler = (exchange: Exchange, parameters: Record<string, string>) => Reply | Promise<Reply>;

export interface PublicRoutes {
  add(method: 'GET', path: string, handler: PublicHandler): void;
}

export interface Match<T> {
  target: T;
  /** Path parameters, decoded. */
  parameters: Record<string, string>;
}

/** Matches paths as sent: another spelling of a path could bypass a check. Only parameter values are decoded, once. */
export class Routes<T> {
  readonly #byPath = new Map<string, Methods<T>>();
  readonly #patterns: Pattern<T>[] = [];

  /** `path` can have parameters in braces, as in `/v1/listings/{id}`. */
  add(method: string, path: string, target: T): void {
    let methods = this.#byPath.get(path);
    if (methods === undefined) {
      methods = new Map();
      this.#byPath.set(path, methods);
      if (path.includes('{')) this.#patterns.push(toPattern(path, methods));
    }
    methods.set(method, target);
    if (method === 'GET') methods.set('HEAD', target);
  }

  /** Returns `not_found` or `method_not_allowed` instead of throwing it, because authentication comes first. */
  find(method: string, path: string): Match<T> | AppError {
    const exact = this.#byPath.get(path);
    if (exact !== undefined) return pick(exact, method, {});
    for (const { expression, names, methods } of this.#patterns) {
      const values = expression.exec(path)?.slice(1);
      if (values === undefined) continue;
      const parameters = decodeParameters(names, values);
      return parameters === undefined ? nothingHere() : pick(methods, method, parameters);
    }
    return nothingHere();
  }
}

function toPattern<T>(path: string, methods: Methods<T>): Pattern<T> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return { expression: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`), names, methods };
}

function pick<T>(methods: Methods<T>, method: string, parameters: Record<string, string>): Match<T> | AppError {
  const target = methods.get(method);
  if (target !== undefined) return { target, parameters };
  const allow = [...methods.keys()].sort().join(', ');
  return new AppError('method_not_allowed', `This path supports ${allow}.`, { headers: { Allow: allow } });
}

/** Returns undefined if a value cannot be decoded. */
function decodeParameters(names: string[], values: string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  try {
    for (const [index, name] of names.entries()) parameters[name] = decodeURIComponent(values[index] ?? '');
  } catch {
    return undefined;
  }
  return parameters;
}

function nothingHere(): AppError {
  return new AppError('not_found', 'There is nothing at this path; see /docs for the available paths.');
}
