/** Processor time per request, from experiments that added one part at a time. Update it after profiling. */
export const WHERE_THE_REST_GOES = `\
Where the time goes. The bare server needs 8 µs to parse a request and write a response of 400
bytes.

- One listing: 22 µs. Compared with the bare server: 4.5 µs for the key (checksum, SHA-256, and one
  lookup per request, because a deleted key must stop working at once), 3 for the listing, 1.6 for
  the log line, and 5 for validation, routing, and headers. A 304 saves only the listing, while the
  bare server sends no body: hence its ratio.
- List of 20: 25 µs more: 10 for the rows, and 15 for serialization, the cursor, the ETag, and
  writing 12 kB.
- Create: 70 µs: 20 for the parts above, 14 for statements, 8 for its share of a commit (29 creates on average;
  pages, sync, and word index), 1.5 for parsing and validation; the rest for words, the event, about
  40 promises, and probably cold caches: in isolation, a create without HTTP takes 27. With 18
  fields: 100 µs.
- Update: also reads the listing, and keeps the old document for the event.
- Events page: a hundred documents, read and written as text.
- Searches scan 100,000 listings, 8 ms and more, in a separate thread.

Above a ratio of 0.6, there is no time left for log, key, and database. The aim is 0.6 of the bare
server.`;
