import { AppError } from '../../model/errors.ts';
import type { Exchange } from './exchange.ts';
import type { Reply } from './reply.ts';

export type Handler = (exchange: Exchange, parameters: Record<string, string>) => Reply | Promise<Reply>;

/** What a path takes: method → handler. */
type Methods = Map<string, Handler>;

interface Pattern {
  expression: RegExp;
  names: string[];
  methods: Methods;
}

/**
 * Which handler answers a method and path. Paths are compared as they were sent: two spellings of one path could slip
 * past a check that knows only one of them. Only the values of parameters are decoded, once.
 */
export class Routes {
  readonly #byPath = new Map<string, Methods>();
  readonly #patterns: Pattern[] = [];

  /** Adds a handler; `path` may have parameters in braces, such as `/v1/listings/{id}`. */
  add(method: string, path: string, handler: Handler): void {
    let methods = this.#byPath.get(path);
    if (methods === undefined) {
      methods = new Map();
      this.#byPath.set(path, methods);
      if (path.includes('{')) this.#patterns.push(toPattern(path, methods));
    }
    methods.set(method, handler);
    if (method === 'GET') methods.set('HEAD', handler);
  }

  /** The methods and paths there are, HEAD left out. */
  list(): { method: string; path: string }[] {
    return [...this.#byPath].flatMap(([path, methods]) =>
      [...methods.keys()].filter((method) => method !== 'HEAD').map((method) => ({ method, path })),
    );
  }

  /** @throws {AppError} `not_found`, or `method_not_allowed` with `Allow` */
  answer(exchange: Exchange): Reply | Promise<Reply> {
    const exact = this.#byPath.get(exchange.path);
    if (exact !== undefined) return pick(exact, exchange)(exchange, {});
    for (const { expression, names, methods } of this.#patterns) {
      const values = expression.exec(exchange.path)?.slice(1);
      if (values !== undefined) return pick(methods, exchange)(exchange, decodeParameters(names, values));
    }
    throw nothingHere();
  }
}

function toPattern(path: string, methods: Methods): Pattern {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return { expression: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`), names, methods };
}

function pick(methods: Methods, { incoming }: Exchange): Handler {
  const handler = methods.get(incoming.method ?? '');
  if (handler !== undefined) return handler;
  const allow = [...methods.keys()].sort().join(', ');
  throw new AppError('method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

function decodeParameters(names: string[], values: string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  try {
    for (const [index, name] of names.entries()) parameters[name] = decodeURIComponent(values[index] ?? '');
  } catch {
    throw nothingHere();
  }
  return parameters;
}

function nothingHere(): AppError {
  return new AppError('not_found', 'There is nothing at this path; /docs shows what there is.');
}
