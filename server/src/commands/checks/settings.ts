import { type Config, SETTINGS } from '../../config.ts';
import { type Environment, envFile, readEnvFile } from '../../environment.ts';
import { suggest } from '../../model/suggest.ts';
import { type Finding, findingsOf } from './finding.ts';

const KNOWN = [
  ...Object.keys(SETTINGS.shape),
  'COPY_FROM_URL',
  'COPY_TO_URL',
  'COPY_FROM_URL_FILE',
  'COPY_TO_URL_FILE',
];
const { ok, warning } = findingsOf('settings');

export function checkSettings(config: Config): Finding[] {
  const names = Object.keys(config.given);
  const given = `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} set and valid`;
  const valid = names.length > 0 ? given : 'no setting is given; all have defaults';
  return [ok(valid), ...checkUnknown(process.env), ...checkProxies(config)];
}

/** `sudo` and `login` set this variable. Its name resembles MAIL_FROM, but it is not a misspelled setting. */
const OF_LOGIN = 'MAIL';

/** The environment also contains unrelated variables, so only names that resemble a setting are reported there. */
function checkUnknown(env: Environment): Finding[] {
  const inFile = new Set(Object.keys(readEnvFile()));
  return Object.keys({ ...env })
    .filter((name) => !KNOWN.includes(name))
    .flatMap((name) => {
      const meant = suggest(name, KNOWN);
      if (meant !== undefined && (inFile.has(name) || name !== OF_LOGIN))
        return [warning(`${name} is not a setting; did you mean ${meant}?`)];
      return inFile.has(name) ? [warning(`${name} in ${envFile()} is not a setting and has no effect`)] : [];
    });
}

function checkProxies({ publicUrl, trustedProxies }: Config): Finding[] {
  if (publicUrl?.startsWith('https:') && trustedProxies === undefined) {
    const why = 'all clients share the limits of that address';
    return [warning(`PUBLIC_URL needs an HTTPS proxy; set TRUSTED_PROXIES to the proxy's address, otherwise ${why}`)];
  }
  if (publicUrl === undefined && trustedProxies !== undefined)
    return [warning('TRUSTED_PROXIES is set without PUBLIC_URL; set PUBLIC_URL to the address that clients use')];
  return [];
}
