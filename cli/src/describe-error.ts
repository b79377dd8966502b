import { ApiError, ConnectionError, type FieldFault } from '@property-listings/client';
import { type Advice, adviceByOrigin } from './advice.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { toFlag } from './fields.ts';
import { toLine } from './output/terminal.ts';

export interface DescribedError {
  lines: string[];
  exitCode: number;
}

/** What to do about errors whose own words do not say it, or not for a command line. */
const NEXT: Record<string, string> = {
  not_found: 'If it should be there: "listings me" shows which account the key belongs to.',
  events_expired: 'Make a new "listings export", and follow from its "sequence" on.',
  rate_limited: 'Wait a moment, then try again.',
  internal_error: 'Try again; if it stays so, give the request id to whoever runs the service.',
  unavailable: 'Try again in a moment.',
};

/** Where the client's words are for who writes programs. */
const CONNECTION_WORDS = new Map([
  [
    'timeout',
    'The service was silent for too long. If the command changes something, look whether it did before you try again.',
  ],
  ['list_cut', 'The list was cut: the rest is missing. Run the command again.'],
]);

/** What stderr says, and the exit code. */
export function describeError(error: unknown, advice: Advice = adviceByOrigin()): DescribedError {
  if (error instanceof CommandError) return { lines: [error.message], exitCode: error.exitCode };
  if (error instanceof ApiError) return describeApiError(error, advice);
  if (error instanceof ConnectionError) {
    const words = CONNECTION_WORDS.get(error.code) ?? `${toLine(error.message)}\n${advice.address}`;
    return { lines: [words], exitCode: EXIT.failure };
  }
  const text = error instanceof Error ? error.message : String(error);
  const stack = process.env.DEBUG && error instanceof Error ? [error.stack ?? ''] : [];
  return { lines: [toLine(text), ...stack], exitCode: EXIT.failure };
}

function describeApiError(error: ApiError, advice: Advice): DescribedError {
  const { code, status, requestId, details = [], summary: message } = error;
  const next = describeNext(error, advice);
  // One fault may be the message already.
  const faults = details.filter((fault) => !message.includes(fault.message));
  return {
    lines: [
      `${toWords(message)} (${toLine(code)}, ${status})`,
      ...faults.map((fault) => `  ${describeFault(fault)}`),
      ...(next === undefined ? [] : [next]),
      ...(requestId === undefined ? [] : [`request id: ${toLine(requestId)}`]),
    ],
    exitCode: code === 'unauthorized' ? EXIT.needsKey : EXIT.failure,
  };
}

function describeNext({ code, members }: ApiError, advice: Advice): string | undefined {
  if (code === 'unauthorized') {
    return `Or the key is of another service. Make one in the dashboard (Settings → API). ${advice.key}`;
  }
  if (code === 'insufficient_scope') return advice.key;
  if (code === 'version_mismatch') return describeMismatch(members.currentVersion);
  return NEXT[code];
}

function describeMismatch(version: unknown): string {
  if (typeof version !== 'number') return 'Look at what has changed with "listings get", then try again.';
  return `Its version is ${version} now. Look at what has changed with "listings get", then try again with --if-match ${version}.`;
}

function describeFault({ line, field, message }: FieldFault): string {
  return toWords(`${line === undefined ? '' : `line ${line}: `}${field}: ${message}`);
}

/** What the service says to who writes programs, and how it is said here. */
const WORDS: readonly [theirs: string, ours: string][] = [
  ['ignoreUnknown=true', '--ignore-unknown'],
  ['; details names each', ''],
  ['; details names the first 100', ''],
  ['; a + is sent as %2B', ''],
  [': read it again, and send your change with its ETag', ''],
];

/** The service's words, with its parameters as flags. */
function toWords(text: string): string {
  const words = WORDS.reduce((changed, [theirs, ours]) => changed.replaceAll(theirs, ours), toLine(text));
  return words.replace(
    /\bquery\.(\w+)(?:\[(\w+)\])?/g,
    (_, name, operator) => `--${toFlag(name)}${operator === undefined ? '' : `-${operator}`}`,
  );
}
