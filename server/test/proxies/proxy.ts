import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Cleanup, defer } from '../../../testkit/src/cleanup.ts';
import { findFreePort } from '../../../testkit/src/ports.ts';
import { REPOSITORY } from '../../../testkit/src/process.ts';
import { directoryFor, hasEnded } from '../../../testkit/src/serving.ts';
import { until } from '../../../testkit/src/until.ts';

/** A proxy that runs one of the documented configurations. */
export interface RunningProxy {
  /** `https://localhost:PORT`. */
  url: string;
  /** The certificate that its clients trust. */
  ca: string;
}

interface Start {
  directory: string;
  httpPort: number;
  httpsPort: number;
  servicePort: number;
}

interface Proxy {
  /** In `docs/proxies`. */
  file: string;
  /** What differs on another machine: text in the file → text in the test. */
  changes(start: Start): Record<string, string>;
  /** Files beside the configuration, and the command that runs it. */
  command(start: Start, configuration: string): { files: Record<string, string>; command: string[] };
}

export const PROXIES: Record<string, Proxy> = {
  nginx: {
    file: 'nginx.conf',
    changes: ({ directory, httpPort, httpsPort, servicePort }) => ({
      '127.0.0.1:3000': `127.0.0.1:${servicePort}`,
      'listen 80;': `listen ${httpPort};`,
      'listen [::]:80;': '',
      'listen 443 ': `listen ${httpsPort} `,
      'listen [::]:443 ssl http2;': '',
      'server_name listings.example.com;': 'server_name localhost;',
      '/etc/letsencrypt/live/listings.example.com/fullchain.pem': `${directory}/certificate.pem`,
      '/etc/letsencrypt/live/listings.example.com/privkey.pem': `${directory}/key.pem`,
    }),
    command: ({ directory }, configuration) => ({
      files: {
        'main.conf': `daemon off; pid ${directory}/pid; error_log stderr;
          events {}
          http {
            access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
            fastcgi_temp_path ${directory}/fastcgi; scgi_temp_path ${directory}/scgi; uwsgi_temp_path ${directory}/uwsgi;
            include ${configuration};
          }`,
      },
      command: ['nginx', '-p', directory, '-c', `${directory}/main.conf`],
    }),
  },
  caddy: {
    file: 'Caddyfile',
    changes: ({ httpsPort, servicePort }) => ({
      '127.0.0.1:3000': `127.0.0.1:${servicePort}`,
      'listings.example.com {': `localhost:${httpsPort} {`,
    }),
    command: ({ directory, httpPort, httpsPort }, configuration) => ({
      files: {
        Caddyfile: `{
          admin off
          skip_install_trust
          http_port ${httpPort}
          https_port ${httpsPort}
          storage file_system ${directory}/storage
        }
        import ${configuration}`,
      },
      command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', `${directory}/Caddyfile`],
    }),
  },
  haproxy: {
    file: 'haproxy.cfg',
    changes: ({ directory, httpPort, httpsPort, servicePort }) => ({
      '127.0.0.1:3000': `127.0.0.1:${servicePort}`,
      'bind :80': `bind 127.0.0.1:${httpPort}`,
      'bind :443': `bind 127.0.0.1:${httpsPort}`,
      '/etc/haproxy/certs/listings.example.com.pem': `${directory}/both.pem`,
    }),
    command: (_start, configuration) => ({ files: {}, command: ['haproxy', '-db', '-f', configuration] }),
  },
};

/** Starts a proxy with its documented configuration. `edit` makes one more change. */
export async function startProxy(
  t: Cleanup,
  name: string,
  serviceUrl: string,
  edit: (text: string) => string = (text) => text,
): Promise<RunningProxy> {
  const proxy = PROXIES[name];
  if (proxy === undefined) throw new Error(`There is no proxy ${name}`);
  const directory = await directoryFor(t);
  const ports = [await findFreePort('127.0.0.1'), await findFreePort('127.0.0.1')];
  const [httpPort = 0, httpsPort = 0] = ports;
  const start = { directory, httpPort, httpsPort, servicePort: Number(new URL(serviceUrl).port) };
  await createCertificate(directory);
  const configuration = join(directory, proxy.file === 'Caddyfile' ? 'site.caddy' : proxy.file);
  await writeFile(configuration, edit(await readConfiguration(proxy, start)));
  const { files, command } = proxy.command(start, configuration);
  for (const [file, text] of Object.entries(files)) await writeFile(join(directory, file), text);
  await run(t, command, httpsPort);
  const authority = join(directory, 'storage/pki/authorities/local/root.crt');
  const ca = name === 'caddy' ? authority : join(directory, 'certificate.pem');
  await until('the certificate exists', () => existsSync(ca));
  const running = { url: `https://localhost:${httpsPort}`, ca: await readFile(ca, 'utf8') };
  await until('the proxy answers over TLS', () => isAnswering(running));
  return running;
}

async function readConfiguration({ file, changes }: Proxy, start: Start): Promise<string> {
  let text = await readFile(join(REPOSITORY, 'docs/proxies', file), 'utf8');
  for (const [documented, here] of Object.entries(changes(start))) {
    if (!text.includes(documented)) throw new Error(`${file} does not contain "${documented}"`);
    text = text.replaceAll(documented, here);
  }
  return text;
}

async function createCertificate(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const [key, certificate, both] = ['key.pem', 'certificate.pem', 'both.pem'].map((name) => join(directory, name));
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...request, ...subject, '-keyout', String(key), '-out', String(certificate)], {
    stdio: 'ignore',
  });
  const texts = await Promise.all([certificate, key].map((path) => readFile(String(path), 'utf8')));
  await writeFile(String(both), texts.join(''));
}

async function run(t: Cleanup, [program = '', ...args]: string[], port: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  // A proxy can have processes of its own, which end with it.
  defer(t, async () => {
    if (hasEnded(child)) return;
    child.kill('SIGTERM');
    await ended;
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-10_000);
  });
  await until(`${program} listens`, async () => {
    if (hasEnded(child)) throw new Error(`${program} ended: ${output}`);
    return await isListening(port);
  });
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function isAnswering({ url, ca }: RunningProxy): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const request = get(`${url}/livez`, { ca, agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  });
  request.once('error', () => resolve(false));
  return promise;
}
