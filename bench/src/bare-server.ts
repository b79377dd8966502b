/**
 * The benchmark's upper bound: a plain `node:http` server on `PORT` that sends recorded responses of the
 * service, byte for byte. Its argument is the file with the recordings.
 */
import { createServer, type ServerResponse } from 'node:http';
import { readRecordings, recordingName } from './recordings.ts';

/** About as large as the service's chunks. With much smaller ones, the benchmark would measure system calls. */
const CHUNK_BYTES = 64 * 1024;

const [file = ''] = process.argv.slice(2);
const recordings = readRecordings(file);

const server = createServer((request, response) => {
  const isConditional = request.headers['if-none-match'] !== undefined;
  const reply = recordings.get(recordingName(request.method, request.url, isConditional));
  if (reply === undefined) {
    response.writeHead(500).end();
    return;
  }
  const answer = (): void => {
    response.writeHead(reply.status, reply.headers);
    if (reply.isStreamed) sendInChunks(response, reply.body);
    else response.end(reply.body);
  };
  if (request.method === 'GET') answer();
  else request.resume().once('end', answer);
});

server.listen(Number(process.env.PORT), '127.0.0.1');

process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});

function sendInChunks(response: ServerResponse, body: Buffer): void {
  let sent = 0;
  function sendMore(): void {
    while (sent < body.length) {
      const chunk = body.subarray(sent, sent + CHUNK_BYTES);
      sent += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', sendMore);
        return;
      }
    }
    response.end();
  }
  sendMore();
}
