/** A minimal model of one account, to compare with the service. */

export type Fields = Record<string, unknown>;
export type ModelListing = Fields & { id: string; version: number };

export interface ModelEvent {
  sequence: number;
  type: string;
  listingId: string;
  /** The external id of a deleted listing. */
  externalId?: unknown;
  listing?: ModelListing;
  changed?: string[];
}

const TIMES = new Set(['createdAt', 'updatedAt']);
const SERVER_FIELDS = new Set(['id', 'version', ...TIMES]);

/** A listing without the values that a model cannot predict. */
export function withoutTimes(listing: Fields): Fields {
  return Object.fromEntries(Object.entries(listing).filter(([name]) => !TIMES.has(name)));
}

export class Model {
  readonly listings = new Map<string, ModelListing>();
  readonly events: ModelEvent[] = [];

  get sequence(): number {
    return this.events.length;
  }

  /** All listings, newest first. */
  list(): ModelListing[] {
    return [...this.listings.values()].sort((left, right) => (left.id < right.id ? 1 : -1));
  }

  findByExternalId(externalId: unknown): ModelListing | undefined {
    return externalId === undefined ? undefined : this.list().find((listing) => listing.externalId === externalId);
  }

  /** Whether another listing has the external ID. */
  isTaken(externalId: unknown, id?: string): boolean {
    const holder = this.findByExternalId(externalId);
    return holder !== undefined && holder.id !== id;
  }

  create(id: string, fields: Fields): ModelListing {
    const listing = { ...complete(fields), id, version: 1 };
    this.#store(listing, { type: 'listing.created', listingId: id, listing });
    return listing;
  }

  /** Replaces all fields of a listing. */
  replace(id: string, fields: Fields): ModelListing {
    const before = this.#get(id);
    const after = { ...complete(fields), id, version: before.version + 1 };
    const changed = changedNames(before, after);
    if (changed.length === 0) return before;
    this.#store(after, { type: 'listing.updated', listingId: id, listing: after, changed });
    return after;
  }

  patch(id: string, patch: Fields): ModelListing {
    const { id: _id, version: _version, ...fields } = this.#get(id);
    return this.replace(id, merge(fields, patch));
  }

  remove(id: string): void {
    const { externalId } = this.#get(id);
    this.listings.delete(id);
    const own = externalId === undefined ? {} : { externalId };
    this.events.push({ sequence: this.sequence + 1, type: 'listing.deleted', listingId: id, ...own });
  }

  #get(id: string): ModelListing {
    const listing = this.listings.get(id);
    if (listing === undefined) throw new Error(`The model has no listing ${id}`);
    return listing;
  }

  #store(listing: ModelListing, event: Omit<ModelEvent, 'sequence'>): void {
    this.listings.set(listing.id, listing);
    this.events.push({ sequence: this.sequence + 1, ...event });
  }
}

/** Adds the defaults of a new account. */
function complete(fields: Fields): Fields {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
  const currency = given.listPrice === undefined && given.closePrice === undefined ? {} : { currency: 'USD' };
  return { status: 'active', ...currency, ...given };
}

/** RFC 7396 for one level and `metadata`. */
function merge(fields: Fields, patch: Fields): Fields {
  const merged: Fields = { ...fields, ...patch };
  if ((merged.listPrice ?? merged.closePrice ?? null) === null) delete merged.currency;
  const { metadata } = patch;
  if (typeof metadata === 'object' && metadata !== null) {
    const all = { ...Object(fields.metadata), ...metadata };
    merged.metadata = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  }
  return merged;
}

function changedNames(before: Fields, after: Fields): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => !SERVER_FIELDS.has(name) && canonical(before[name]) !== canonical(after[name]))
    .sort();
}

/** JSON with sorted members. */
function canonical(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
