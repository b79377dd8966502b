// `npm run dev`: the service, started anew when its sources change, and Vite before it, which brings changes of the
// dashboard into the page that is open.
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

// Links that the service prints lead to where the dashboard is.
const env = { PUBLIC_URL: url.replace(/\/$/, ''), ...process.env, DASHBOARD_BUILD: 'off' };
// The whole folder: of a program that could not start, Node.js would not know all files that it consists of.
const watching = [`--watch-path=${SOURCES}`, '--watch-preserve-output'];
const service = spawn(process.execPath, [...watching, PROGRAM, 'serve'], { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal));
service.on('exit', (code) => process.exit(code ?? 1));
