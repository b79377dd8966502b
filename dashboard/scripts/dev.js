// `npm run dev`: the service, which restarts when its sources change, behind Vite's hot reload.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const PROGRAM = fileURLToPath(new URL('../../server/bin/property-listings.js', import.meta.url));
const SOURCES = fileURLToPath(new URL('../../server/src', import.meta.url));
const host = process.env.HOST || '127.0.0.1';
const port = process.env.PORT || '3000';

process.env.SERVICE_URL = `http://${host}:${port}`;
const vite = await createServer({ root: fileURLToPath(new URL('..', import.meta.url)) });
await vite.listen();
const [url = ''] = vite.resolvedUrls?.local ?? [];
console.log(`Dashboard with hot reload: ${url}`);

// The service prints links to Vite's address.
const env = { PUBLIC_URL: url.replace(/\/$/, ''), ...process.env, DASHBOARD_BUILD: 'off' };
// The whole folder: if the service fails to start, Node.js does not know all of its files.
const watching = [`--watch-path=${SOURCES}`, '--watch-preserve-output'];
const service = spawn(process.execPath, [...watching, PROGRAM, 'serve'], { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal));
service.on('exit', (code) => process.exit(code ?? 1));
