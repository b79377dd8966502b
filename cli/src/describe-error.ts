import { ApiError, ConnectionError, type FieldFault } from '@property-listings/client';
import { CommandError, EXIT } from './exit-codes.ts';
import { toFlag } from './fields.ts';
import { toLine } from './output/terminal.ts';

export interface DescribedError {
  lines: string[];
  exitCode: number;
}

/** What to do about errors whose own words do not say it, or not for a command line. */
const NEXT: Record<string, string> = {
  unauthorized:
    'Or the key is of another service. Make one in the dashboard (Settings → API), then run "listings login".',
  insufficient_scope: '"listings login" stores another key.',
  not_found: 'If it should be there: "listings me" shows which account the key belongs to.',
  version_mismatch: 'Look at what has changed with "listings get", then try again with that version.',
  events_expired: 'Make a new "listings export", and follow from its "sequence" on.',
  rate_limited: 'Wait a moment, then try again.',
  internal_error: 'Try again; if it stays so, give the request id to whoever runs the service.',
  unavailable: 'Try again in a moment.',
};

const NOT_REACHED = 'Is the service running, and is the address right? "listings login" stores another one.';
/** Where the client's words are for who writes programs. */
const CONNECTION_WORDS = new Map([
  ['timeout', 'The service was silent for too long. Try again.'],
  ['list_cut', 'The list was cut: the rest is missing. Run the command again.'],
]);

/** What stderr says, and the exit code. */
export function describeError(error: unknown): DescribedError {
  if (error instanceof CommandError) return { lines: [error.message], exitCode: error.exitCode };
  if (error instanceof ApiError) return describeApiError(error);
  if (error instanceof ConnectionError) {
    const words = CONNECTION_WORDS.get(error.code) ?? `${toLine(error.message)}\n${NOT_REACHED}`;
    return { lines: [words], exitCode: EXIT.failure };
  }
  const text = error instanceof Error ? error.message : String(error);
  const stack = process.env.DEBUG && error instanceof Error ? [error.stack ?? ''] : [];
  return { lines: [toLine(text), ...stack], exitCode: EXIT.failure };
}

function describeApiError(error: ApiError): DescribedError {
  const { code, status, requestId, details = [], summary: message } = error;
  const next = NEXT[code];
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

function describeFault({ line, field, message }: FieldFault): string {
  return toWords(`${line === undefined ? '' : `line ${line}: `}${field}: ${message}`);
}

/** The service's words, with its parameters as flags. */
function toWords(text: string): string {
  const words = toLine(text).replaceAll('ignoreUnknown=true', '--ignore-unknown');
  return words.replace(
    /\bquery\.(\w+)(?:\[(\w+)\])?/g,
    (_, name, operator) => `--${toFlag(name)}${operator === undefined ? '' : `-${operator}`}`,
  );
}
