import { ApiError, ConnectionError, type ValidationIssue } from '@property-listings/client';
import { quote } from './curl.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { toFlag } from './fields.ts';
import { toLine } from './output/terminal.ts';

/** How the user can correct a wrong key or address, which depends on where it was set. */
export interface Advice {
  key: string;
  address: string;
}

/** For commands that read the environment or the stored settings. */
export function adviceByOrigin(): Advice {
  const { PROPERTY_LISTINGS_API_KEY: key, PROPERTY_LISTINGS_BASE_URL: baseUrl } = process.env;
  return {
    key: key
      ? 'The key comes from PROPERTY_LISTINGS_API_KEY, which overrides the one stored by "listings login".'
      : 'To store another key, run "listings login".',
    address: baseUrl
      ? 'Check that the service is running and that PROPERTY_LISTINGS_BASE_URL is correct.'
      : 'Check that the service is running and that its address is correct; to change it, run "listings login".',
  };
}

/** For `login`, where the user just entered both. */
export const LOGIN_ADVICE: Advice = {
  key: 'Nothing was stored.',
  address: 'Check that the service is running and that the address is correct. Nothing was stored.',
};

/** Next steps for errors whose message gives none, or gives one that does not apply to the command line. */
const NEXT: Record<string, string> = {
  not_found: 'If you expected it to exist, use "listings me" to check which account your key belongs to.',
  feed_busy: 'To see the run, use "listings feeds runs NAME".',
  rate_limited: 'Wait a moment, then try again.',
  internal_error: 'Try again. If the error persists, send the request ID to the operator of the service.',
  unavailable: 'Try again in a moment.',
};

const FOLLOW_AGAIN =
  'To follow changes again, run "listings export", then pass the "sequence" and "epoch" of its last line to --after ' +
  'and --epoch.';

/** Replacements for messages of the client that are written for programmers. */
const CONNECTION_MESSAGES: Record<string, string> = {
  timeout: 'The service did not respond in time. Before you retry a change, check whether it was made.',
  list_cut: 'The list is incomplete because the connection was lost. Run the command again.',
};

/** Converts any error to one whose message says what to do; the message can have several lines. */
export function toCommandError(error: unknown, advice: Advice = adviceByOrigin()): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError) return describeApiError(error, advice);
  if (error instanceof ConnectionError) {
    return new CommandError(CONNECTION_MESSAGES[error.code] ?? `${toLine(error.message)}\n${advice.address}`);
  }
  if (!(error instanceof Error)) return new CommandError(toLine(String(error)));
  const stack = process.env.DEBUG ? `\n${error.stack ?? ''}` : '';
  return new CommandError(`${toLine(error.message)}${stack}`);
}

const EXIT_CODES: Record<string, number> = { unauthorized: EXIT.needsKey, feed_guard: EXIT.guard };

function describeApiError(error: ApiError, advice: Advice): CommandError {
  const { code, status, requestId, details, summary } = error;
  // If there is only one issue, the summary is its message.
  const issues = details.filter(({ message }) => !summary.includes(message));
  const lines = [
    `${withFlags(summary)} (${toLine(code)}, ${status})`,
    ...issues.map((issue) => `  ${describeIssue(issue)}`),
    describeNext(error, advice),
    requestId === undefined ? undefined : `request id: ${toLine(requestId)}`,
  ];
  return new CommandError(lines.filter((line) => line !== undefined).join('\n'), EXIT_CODES[code]);
}

function describeNext({ code, members, details, summary }: ApiError, advice: Advice): string | undefined {
  if (code === 'unauthorized') {
    return `The key may belong to another service. Create a key in the dashboard (Settings → API). ${advice.key}`;
  }
  if (code === 'insufficient_scope') return advice.key;
  if (details.some(({ message }) => message === 'There is no such column.'))
    return 'To see the field names, add --help.';
  // Other commands get this code, too, with a message that says what to do.
  if (code === 'events_expired' && summary.includes('List all listings again')) return FOLLOW_AGAIN;
  if (code === 'feed_guard') return describeGuarded(members.reasons);
  if (code === 'version_mismatch') return describeMismatch(members.currentVersion);
  return NEXT[code];
}

/** How the user can see why the guard stopped the run. */
function describeGuarded(reasons: unknown): string | undefined {
  const names = new Set(Array.isArray(reasons) ? reasons.map((each) => Object(each).reason) : []);
  const hints = [
    ...(names.has('missing') ? ['To see the missing listings, add --dry-run.'] : []),
    ...(names.has('failed') ? ['To see the failed rows, run "listings feeds errors NAME".'] : []),
  ];
  return hints.length === 0 ? undefined : hints.join(' ');
}

function describeMismatch(version: unknown): string {
  const review = 'Review the changes with "listings get", then try again';
  if (typeof version !== 'number') return `${review}.`;
  return `The current version is ${version}. ${review} with --if-match ${version}.`;
}

function describeIssue({ line, field, message }: ValidationIssue): string {
  return withFlags(`${line === undefined ? '' : `line ${line}: `}${field}: ${message}`);
}

/** Parts of the service's messages that are written for programmers, and their replacements in the CLI. */
const REPLACEMENTS: readonly [theirs: string, ours: string][] = [
  ['set ignoreUnknown=true', 'add --ignore-unknown'],
  ['ignoreUnknown=true', '--ignore-unknown'],
  ['set clean=true', 'add --clean'],
  ['set dates=mdy or dates=dmy', 'add --dates mdy or --dates dmy'],
  ['set decimal=comma or decimal=point', 'add --decimal comma or --decimal point'],
  ['send map[COLUMN]=FIELD', 'add --map COLUMN=FIELD'],
  ['send the file again with missingMax=', 'add --missing-max '],
  ['send the file again with failedMax=', 'add --failed-max '],
  ['&failedMax=', ' --failed-max '],
  ['send the file again with plan set to the new planId', 'run the command again'],
  ['; see details for the first 100', ''],
  ['; see details for the first ones', ''],
  ['; see details', ''],
  ['; encode + as %2B', ''],
  ['; read it again and send your change with the new ETag', ''],
];

/** Quotes the string if a shell would otherwise change it. */
function toArgument(text: string): string {
  return /^[\p{L}\p{N}_:.=…-]*$/u.test(text) ? text : quote(text);
}

/** The service's message, with flags in place of API parameters. */
export function withFlags(text: string): string {
  const message = REPLACEMENTS.reduce((changed, [theirs, ours]) => changed.replaceAll(theirs, ours), toLine(text));
  return message
    .replaceAll(/\bset (?=(?:values|defaults|map)\[)/g, 'add ')
    .replaceAll(/\bmap\[NEW NAME\]=/g, "--map 'NEW NAME'=")
    .replaceAll(/\bquery\.map\[([^\]]*)\]/g, '--map $1')
    .replaceAll(/\b(query\.)?(value|default)s\[([^\]]*)\](=\w*)?/g, (_, isField, option, key, value) => {
      return `--${option} ${toArgument(`${key}${value ?? (isField ? '' : '=…')}`)}`;
    })
    .replaceAll(/\b(?:query\.)?map\[([^\]]*)\]=?/g, (_, column) => `--map ${toArgument(column)}=`)
    .replace(
      /\bquery\.(\w+)(?:\[(\w*)\](?:\[\d+\])?)?/g,
      (_, name, operator) => `--${toFlag(name)}${operator ? `-${operator}` : ''}`,
    );
}
