import { lookup, Resolver } from 'node:dns';

/** Resolves a name to all its addresses. */
export type Resolve = (name: string, done: (error: Error | null, addresses: Address[]) => void) => void;

interface Address {
  address: string;
  family: number;
}

/** For each of the two families; the servers of the system are asked in turn. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });
/** Errors of servers that have responded, so that the system's resolver will not wait for them either. */
const ANSWERED = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Resolves names that clients choose. `dns.lookup` waits in one of few threads, and does not end when its caller gives
 * up: names whose servers never respond would stop all others. It is used for names without a dot, which clients cannot
 * register, and for those that DNS does not have, which may be in the system's hosts file.
 */
export const resolveName: Resolve = (name, done) => {
  if (!name.includes('.')) return lookup(name, { all: true }, done);
  void Promise.all([resolve(4, name), resolve(6, name)]).then((results) => {
    const addresses = results.flatMap((result) => (result instanceof Error ? [] : result));
    if (addresses.length > 0) return done(null, addresses);
    const unanswered = results.find((result) => result instanceof Error && !ANSWERED.has(Object(result).code));
    if (unanswered instanceof Error) return done(unanswered, []);
    lookup(name, { all: true }, done);
  });
};

function resolve(family: 4 | 6, name: string): Promise<Error | Address[]> {
  return new Promise((settle) => {
    const note = (error: Error | null, addresses: string[] = []) =>
      settle(error ?? addresses.map((address) => ({ address, family })));
    if (family === 4) resolver.resolve4(name, note);
    else resolver.resolve6(name, note);
  });
}
