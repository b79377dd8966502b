/**
 * The benchmark's peer: the listings API as a good engineer writes it by hand with Fastify and SQLite, with one table
 * and the indexes that its searches need. Its arguments are the new database file and the API key that it accepts.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { createDatabase, type Document, hashKey, listingWriter } from './database.ts';
import { buildSearch, LIST_QUERY, type ListQuery, type Query, writeCursor } from './search.ts';

const NDJSON_BYTES_MAX = 16 * 1024 * 1024;
/** The number of rows of a complete list that are sent together. */
const CHUNK_ROWS = 100;

const [file = '', key = ''] = process.argv.slice(2);
const database = createDatabase(file, key);
const writeListings = listingWriter(database);
const findAccount = database.prepare('select account from api_keys where hash = ?');
const findListing = database.prepare('select doc from listings where id = ? and account = ?');
const statements = new Map<string, ReturnType<typeof database.prepare>>();

const app = Fastify();
app.decorateRequest('account', '');
app.addHook('onRequest', async (request, reply) => {
  const found = findAccount.get(hashKey(request.headers.authorization?.slice('Bearer '.length) ?? ''));
  if (found === undefined) return reply.code(401).send({ error: { code: 'unauthorized', message: 'Invalid API key' } });
  request.setDecorator('account', found.account);
});

app.get<{ Params: { id: string } }>('/v1/listings/:id', (request, reply) => {
  const found = findListing.get(request.params.id, request.getDecorator<string>('account'));
  if (found === undefined) return reply.code(404).send({ error: { code: 'not_found', message: 'No such listing' } });
  return reply.type('application/json').send(found.doc);
});

app.get<{ Querystring: ListQuery }>('/v1/listings', { schema: { querystring: LIST_QUERY } }, (request, reply) => {
  const { limit, count } = request.query;
  const search = buildSearch(request.getDecorator('account'), request.query);
  reply.type('application/json');
  if (limit === undefined) return reply.send(Readable.from(streamAll(search.page)));
  const rows = prepare(search.page.text).all(...search.page.values);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const nextCursor = last === undefined ? 'null' : `"${writeCursor(last.value, last.row)}"`;
  const total = count ? `,"total":${prepare(search.count.text).get(...search.count.values)?.total}` : '';
  const docs = rows.slice(0, limit).map(({ doc }) => doc);
  return reply.send(`{"data":[${docs.join()}],"nextCursor":${nextCursor}${total}}`);
});

const integer = { type: 'integer', minimum: 0, maximum: 999 };
const number = { type: 'number', exclusiveMinimum: 0 };
const NEW_LISTING = {
  type: 'object',
  required: ['address', 'beds', 'baths'],
  additionalProperties: false,
  properties: {
    ...{ address: { type: 'string', minLength: 1, maxLength: 255 }, beds: integer, baths: integer },
    ...{ listPrice: number, livingArea: number, lotSizeArea: number, yearBuilt: { type: 'integer' } },
    latitude: { type: 'number', minimum: -90, maximum: 90 },
    longitude: { type: 'number', minimum: -180, maximum: 180 },
    status: { type: 'string', default: 'active' },
    ...Object.fromEntries(
      [
        'externalId',
        'propertyType',
        'unitNumber',
        'city',
        'stateOrProvince',
        'postalCode',
        'country',
        'description',
      ].map((name) => [name, { type: 'string', maxLength: 4000 }]),
    ),
    metadata: { type: 'object' },
  },
};

app.post<{ Body: Omit<Document, 'id'> }>('/v1/listings', { schema: { body: NEW_LISTING } }, (request, reply) => {
  const now = new Date().toISOString();
  const listing = { id: `lst_${randomUUID()}`, ...request.body, version: 1, createdAt: now, updatedAt: now };
  writeListings(request.getDecorator('account'), [listing]);
  return reply.code(201).header('Location', `/v1/listings/${listing.id}`).send(listing);
});

app.addContentTypeParser(
  'application/x-ndjson',
  { parseAs: 'string', bodyLimit: NDJSON_BYTES_MAX },
  (_, body, done) => {
    const lines = String(body).split('\n');
    done(
      null,
      lines.map((line) => JSON.parse(line)),
    );
  },
);
app.post<{ Body: Document[] }>('/v1/imports', { bodyLimit: NDJSON_BYTES_MAX }, (request, reply) => {
  writeListings(request.getDecorator('account'), request.body);
  // Keep the planner's statistics up to date, including those of tables that have not been searched yet.
  database.exec('pragma optimize = 0x10002');
  return reply.send({ created: request.body.length });
});

process.once('SIGTERM', () => app.close());
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });

function prepare(text: string) {
  const statement = statements.get(text) ?? database.prepare(text);
  statements.set(text, statement);
  return statement;
}

/** A complete list has its own statement, because another request may use the prepared one before the list ends. */
function* streamAll({ text, values }: Query) {
  let docs: unknown[] = [];
  let separator = '{"data":[';
  for (const { doc } of database.prepare(text).iterate(...values)) {
    docs.push(doc);
    if (docs.length < CHUNK_ROWS) continue;
    yield `${separator}${docs.join()}`;
    separator = ',';
    docs = [];
  }
  if (docs.length > 0) yield `${separator}${docs.join()}`;
  yield '],"nextCursor":null}';
}
