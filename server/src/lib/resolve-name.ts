import { lookup, Resolver } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

export type Resolve = (name: string, done: (error: Error | null, addresses: Address[]) => void) => void;

interface Address {
  address: string;
  family: number;
}

const HOSTS_FILE = '/etc/hosts';

/**
 * Returns a function that resolves names that clients choose: first with the system's hosts file, then with
 * `resolver`. `dns.lookup` has few threads, each of which waits until DNS responds, so names whose servers
 * never respond would block all others. `dns.lookup` is used only for names without a dot: clients cannot
 * register such names, and the system's settings may append a domain to them.
 */
export function createResolve(resolver: Resolver): Resolve {
  return (name, done) => {
    const fail = ({ code }: NodeJS.ErrnoException) => done(new Error(`${name} could not be resolved (${code})`), []);
    const tell = (addresses: Address[]) => done(null, addresses);
    if (name.includes('.')) return void find(resolver, name).then(tell, fail);
    lookup(name, { all: true }, (error, addresses) => (error === null ? tell(addresses) : fail(error)));
  };
}

/** Queries each of the system's DNS servers at most twice, with a time limit of two seconds. */
export const resolveName = createResolve(new Resolver({ timeout: 2_000, tries: 2 }));

/** @throws {Error} if there is no address */
async function find(resolver: Resolver, name: string): Promise<Address[]> {
  const known = await findInHosts(name);
  if (known.length > 0) return known;
  const [four, six] = await Promise.allSettled([resolve(resolver, 4, name), resolve(resolver, 6, name)]);
  const addresses = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
  return addresses;
}

async function findInHosts(name: string): Promise<Address[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [{ address, family: isIP(address) }] : [];
  });
}

function resolve(resolver: Resolver, family: 4 | 6, name: string): Promise<Address[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Address[]>();
  const note = (error: Error | null, addresses: string[] = []) => {
    if (error !== null) reject(error);
    else resolve(addresses.map((address) => ({ address, family })));
  };
  if (family === 4) resolver.resolve4(name, note);
  else resolver.resolve6(name, note);
  return promise;
}
