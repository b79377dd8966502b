import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** A listing's columns, in the same order as in `toColumns`. The rest of the listing is only in its document. */
const COLUMNS = `account, id, external_id, status, property_type, city, beds, baths, list_price, year_built, latitude,
  longitude, doc`;

/** Rows are numbered by creation. Index entries end with the row's number, so equal entries are in this order, too. */
const SCHEMA = `
  create table api_keys (hash text primary key, account text not null) strict, without rowid;
  create table listings (
    row integer primary key, account text not null, id text not null unique, external_id text, status text not null,
    property_type text, city text, beds integer not null, baths integer not null, list_price real, year_built integer,
    latitude real, longitude real, doc text not null
  ) strict;
  create index by_account on listings (account);
  create unique index by_external_id on listings (account, external_id);
  create index by_status on listings (account, status, beds);
  create index by_price on listings (account, list_price);
  create index by_city on listings (account, city, list_price);
  create virtual table places using rtree (row, south, north, west, east);
  create virtual table words using fts5 (
    text, content = '', prefix = '2 3 4', tokenize = 'unicode61 remove_diacritics 2'
  );`;

/** A listing as it is served. */
export type Document = {
  id: string;
  address: string;
  status: string;
  beds: number;
  baths: number;
  listPrice?: number;
  yearBuilt?: number;
  latitude?: number;
  longitude?: number;
} & Partial<Record<'externalId' | 'propertyType' | 'city' | 'unitNumber' | 'postalCode' | 'description', string>>;

/** Creates the database, with one API key. */
export function createDatabase(file: string, key: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536');
  database.exec(SCHEMA);
  database.prepare('insert into api_keys values (?, ?)').run(hashKey(key), 'acc_peer');
  return database;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** @returns a function that stores listings in one transaction */
export function listingWriter(database: DatabaseSync): (account: string, listings: readonly Document[]) => void {
  const insert = database.prepare(`insert into listings (${COLUMNS}) values (${COLUMNS.replaceAll(/\w+/g, '?')})`);
  const insertPlace = database.prepare('insert into places values (?, ?, ?, ?, ?)');
  const insertWords = database.prepare('insert into words (rowid, text) values (?, ?)');
  return (account, listings) => {
    database.exec('begin immediate');
    try {
      for (const listing of listings) {
        const { latitude, longitude } = listing;
        const row = insert.run(account, ...toColumns(listing)).lastInsertRowid;
        insertWords.run(row, wordsOf(listing));
        if (latitude !== undefined && longitude !== undefined) {
          insertPlace.run(row, latitude, latitude, longitude, longitude);
        }
      }
      database.exec('commit');
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  };
}

function toColumns(listing: Document) {
  const { id, externalId, status, propertyType, city, beds, baths, listPrice, yearBuilt, latitude, longitude } =
    listing;
  return [
    ...[id, externalId ?? null, status, propertyType ?? null, city ?? null, beds, baths, listPrice ?? null],
    ...[yearBuilt ?? null, latitude ?? null, longitude ?? null, JSON.stringify(listing)],
  ];
}

function wordsOf({ address, unitNumber, city, postalCode, externalId, description }: Document): string {
  return [address, unitNumber, city, postalCode, externalId, description].join(' ');
}
