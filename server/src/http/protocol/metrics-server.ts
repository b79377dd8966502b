import { createServer, type Server } from 'node:http';

export const METRICS_PATH = '/metrics';
/** Prometheus needs only one connection. */
const CONNECTIONS_MAX = 16;
const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Creates the server for metrics, which has its own address. */
export function createMetricsServer(readPage: () => Promise<string>): Server {
  const server = createServer(async ({ url, method }, outgoing) => {
    if (url?.split('?', 1)[0] !== METRICS_PATH || (method !== 'GET' && method !== 'HEAD')) {
      outgoing.writeHead(404).end();
      return;
    }
    try {
      const page = await readPage();
      outgoing.writeHead(200, { 'Content-Type': TEXT_TYPE }).end(page);
    } catch {
      outgoing.writeHead(500).end();
    }
  });
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}
