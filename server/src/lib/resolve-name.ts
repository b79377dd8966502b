import { lookup, Resolver } from 'node:dns';

/** Resolves a name to all its addresses. */
export type Resolve = (name: string, done: (error: Error | null, addresses: Address[]) => void) => void;

interface Address {
  address: string;
  family: number;
}

/** Errors of servers that have responded, so that the system's resolver will not wait for them either. */
const ANSWERED = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Returns a function that resolves names that clients choose. `dns.lookup` waits in one of few threads, and does not end when its caller gives
 * up: names whose servers never respond would stop all others. It is used for names without a dot, which clients cannot
 * register, and for those that DNS does not have, which may be in the system's hosts file.
 */
export function createResolve(resolver: Resolver): Resolve {
  return (name, done) => {
    if (!name.includes('.')) return lookup(name, { all: true }, done);
    void Promise.all([resolve(resolver, 4, name), resolve(resolver, 6, name)]).then((results) => {
      const addresses = results.flatMap((result) => (result instanceof Error ? [] : result));
      if (addresses.length > 0) return done(null, addresses);
      const unanswered = results.find((result) => result instanceof Error && !ANSWERED.has(Object(result).code));
      if (unanswered instanceof Error) return done(unanswered, []);
      lookup(name, { all: true }, done);
    });
  };
}

/** Asks the system's DNS servers in turn, each for two seconds, twice. */
export const resolveName = createResolve(new Resolver({ timeout: 2_000, tries: 2 }));

function resolve(resolver: Resolver, family: 4 | 6, name: string): Promise<Error | Address[]> {
  return new Promise((settle) => {
    const note = (error: Error | null, addresses: string[] = []) =>
      settle(error ?? addresses.map((address) => ({ address, family })));
    if (family === 4) resolver.resolve4(name, note);
    else resolver.resolve6(name, note);
  });
}
