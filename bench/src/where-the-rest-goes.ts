/**
 * The bench's own words on what lies between the service and the bare server: mend them when a profile says something else.
 * Figures are processor time for each request, from experiments that added one part after the other.
 */
export const WHERE_THE_REST_GOES = `\
Where the rest goes. The bare server takes 8 µs to parse a request and write a reply of 400 bytes. The service takes 22 for
one listing: 4.5 µs more for the key (checksum, SHA-256, one look-up each time, because a deleted key is refused by the next
request), 3 for the listing, 1.6 for the log line, and 5 for checking the request, routing, and the reply's own headers.
A 304 of a list pays all of that but the listing, while the bare server has no body to write: hence its ratio.
A list of 20 takes 25 µs more: 10 for the rows, the rest for the text, the cursor, the ETag and 12 kB to write.
A create takes 70: 20 as above, 14 for its statements, 8 for its share of a commit (29 creates on average: pages written to the log
and synced, the index of words among them), 1.5 for the body's JSON and its rules, and the rest for the words, the event, some forty
promises and, as it seems, caches that are cold: alone and repeated, all of a create but HTTP takes 27. No part of that rest is
above 2 µs. With 18 fields it takes 100: more JSON, more rules, more words and larger pages. An update looks up and reads what
it changes, and keeps the old document for the event. An events page is a hundred documents, read and written as text.
What is found among 100,000 listings takes what a scan of them takes, 8 ms and more, on a thread of its own.
Beyond 0.6 lies no log, no key and no database.
The aim is 0.6 of the bare server.`;
