import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';
import { verifyMailServer } from '../../lib/mailer.ts';
import { isOpen } from '../../storage/inspect.ts';
import { FILE_SCHEME } from '../../storage/open.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';

const TIMEOUT_MS = 5_000;
/** A ready service on this machine responds sooner, and a command must not wait for another program on the port. */
const WARNING_TIMEOUT_MS = 1_000;
const service = findingsOf('service');
const outside = findingsOf('public URL');
const mail = findingsOf('mail');

export async function checkService(config: Config): Promise<Finding[]> {
  if (config.port === 0) return [];
  const url = addressOf(config);
  try {
    const { status, isService } = await request(`${url}/readyz`);
    if (!isService) return [service.failed(`another program listens at ${url}; stop it, or set PORT`)];
    if (status === 200 && isUnused(config)) return [service.failed(`runs at ${url}, but ${OTHER_DATABASE}`)];
    if (status === 200) return [service.ok(`runs at ${url} and is ready`)];
    return [service.warning(`runs at ${url} but is not ready (${status}); its log says why`)];
  } catch {
    return [service.ok(`does not run: nothing listens at ${url}`)];
  }
}

export async function isReady(config: Config, timeoutMs = TIMEOUT_MS): Promise<boolean> {
  try {
    const { status, isService } = await request(`${addressOf(config)}/readyz`, timeoutMs);
    return isService && status === 200;
  } catch {
    return false;
  }
}

/**
 * Returns a warning if a service at this command's HOST and PORT uses another database. This can happen if the command
 * is run by hand, because it then gets neither the environment nor the credentials of the service's systemd unit.
 */
export async function warnOfOtherDatabase(config: Config): Promise<string[]> {
  if (!isUnused(config) || !(await isReady(config, WARNING_TIMEOUT_MS))) return [];
  return [`warning: a service runs at ${addressOf(config)}, but ${OTHER_DATABASE}`];
}

const OTHER_DATABASE =
  'with another database; give this command the same DATA_DIR or DATABASE_URL as the service (docs/operating.md, "Settings and secrets")';

/** Whether the database is an SQLite file that no process uses. */
function isUnused({ databaseUrl }: Config): boolean {
  return databaseUrl.startsWith(FILE_SCHEME) && !isOpen(databaseUrl);
}

/** The URL of the service on this machine. */
export function addressOf({ host, port }: Config): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Checks whether clients reach the service at PUBLIC_URL, and whether the proxy passes headers on. */
export async function checkPublicUrl({ publicUrl }: Config): Promise<Finding[]> {
  if (publicUrl === undefined) return [];
  try {
    const { status, isService, headers } = await request(`${publicUrl}/livez`);
    if (!isService)
      return [
        outside.failed(
          `${publicUrl} responds with ${status}, but the response is not from this service; ` +
            'check the proxy (docs/proxies)',
        ),
      ];
    if (publicUrl.startsWith('https:') && !headers.has('strict-transport-security'))
      return [outside.failed('the running service has another PUBLIC_URL; restart it with this one')];
    return [outside.ok(`${publicUrl} leads to the service, and request ids are passed on`)];
  } catch (error) {
    const advice = 'check that the service and the proxy are running, and check the name and the certificate';
    return [outside.failed(`${publicUrl} cannot be reached from here: ${messageOf(error)}; ${advice}`)];
  }
}

/** Sends a request with an id, which the service returns: `isService` says whether the response contained the id. */
async function request(url: string, timeoutMs = TIMEOUT_MS) {
  const id = randomUUID();
  const signal = AbortSignal.timeout(timeoutMs);
  const { status, headers } = await fetch(url, { headers: { 'X-Request-Id': id }, redirect: 'manual', signal });
  return { status, headers, isService: headers.get('x-request-id') === id };
}

/** Connects to the mail server and signs in, without sending mail. */
export async function checkMail({ mail: settings }: Config): Promise<Finding[]> {
  if (settings === undefined) return [];
  try {
    await verifyMailServer(settings.smtpUrl);
    return [mail.ok(`the mail server accepts connections; mail is sent from ${settings.from}`)];
  } catch (error) {
    return [mail.failed(`the mail server in SMTP_URL cannot be used: ${messageOf(error)}`)];
  }
}
