/**
 * The bench's own words on what lies between the service and the bare server: mend them when a profile says something else.
 */
export const WHERE_THE_REST_GOES = `\
Where the rest goes. The bare server parses the same request and writes the same bytes; what the service does besides:
- routing and middleware: the request is checked and matched, and becomes a Request, its answer a Response;
- key: checksum, SHA-256 and one look-up in the database for each request, because a deleted key is refused by the next one;
- SQL: the page, the listing or the account's sequence is read; a 304 of a list reads the sequence only;
- create: JSON, all field rules, and its share of a transaction that is on disk before the answer goes out;
- headers: request id, ETag, caching, security;
- log: one line for each request.
The aim is 0.6 of the bare server.`;
