import { getLiveHead, type Principal } from '../../domain/access/principals.ts';
import { JsonError, parseJson, TOO_MANY_VALUES } from '../../lib/json.ts';
import { isObject } from '../../lib/merge-patch.ts';
import { ownTurn } from '../../lib/turns.ts';
import type { Database } from '../../storage/database.ts';
import { findFailures, type StoredFailure } from '../../storage/feed-errors.ts';
import type { StoredRun } from '../../storage/feed-runs.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import { encodeCell, toCsvLine, withoutGuards } from '../contract/schemas/listing-csv.ts';
import { CSV_COLUMNS_MAX } from '../imports/csv-header.ts';
import { inChunks } from '../protocol/chunks.ts';
import type { Reply } from '../protocol/reply.ts';

const PAGE = { limit: 100, bytesMax: 128 * 1024 };

/** The service's own columns in a CSV response. */
const OWN_COLUMNS = ['line', 'code', 'message', 'details'];
/** Maximum length of all names in the header of a CSV response; the names of a single row are not longer. */
const NAMES_LENGTH_MAX = 64 * 1024;

/**
 * Lists the failed rows of a run. More than one page is streamed; the principal is checked again after each page.
 * @param mapped the columns that the feed maps to fields
 * @param signal aborts when the client disconnects
 */
export async function replyFailures(
  database: Database,
  principal: Principal,
  run: StoredRun,
  { mediaType, mapped, signal }: { mediaType: string; mapped: string[]; signal: AbortSignal },
): Promise<Reply> {
  const first = await readPage(database, principal, run.id, 0);
  const pages = () => readPages(database, principal, run.id, first);
  const format =
    mediaType === 'text/csv'
      ? csvFormat(await findColumns(pages(), principal, signal), mapped, run.separator)
      : formatOf(mediaType);
  const { contentType = mediaType, start, toText, end } = format;
  const head = { status: 200, headers: { 'Content-Type': contentType }, isCompressible: true };
  if (first.isLast) return { ...head, body: start + (first.rows.length > 0 ? toText(first.rows) : '') + end() };
  return { ...head, body: inChunks([start], pages(), (rows) => [toText(rows)], end) };
}

/** The names of all rows' values. Every row is read, because rows of JSON files can have different members. */
async function findColumns(
  pages: AsyncIterable<StoredFailure[]>,
  { accountId }: Principal,
  signal: AbortSignal,
): Promise<string[]> {
  const countMax = CSV_COLUMNS_MAX - OWN_COLUMNS.length;
  const columns = new Set<string>();
  let length = 0;
  for await (const rows of pages) {
    for (const name of rows.flatMap(namesOf)) {
      if (columns.has(name)) continue;
      length += name.length;
      if (columns.size === countMax || length > NAMES_LENGTH_MAX) return [...columns];
      columns.add(name);
    }
    await ownTurn(accountId);
    signal.throwIfAborted();
  }
  return [...columns];
}

function namesOf({ values }: StoredFailure): string[] {
  return values === null ? [] : Object.keys(JSON.parse(values));
}

interface Page {
  rows: StoredFailure[];
  isLast: boolean;
}

async function readPage(database: Database, principal: Principal, runId: string, after: number): Promise<Page> {
  const { rows, isCut } = await findFailures(database, principal.accountId, runId, after, PAGE);
  return { rows, isLast: rows.length < PAGE.limit && !isCut };
}

async function* readPages(
  database: Database,
  principal: Principal,
  runId: string,
  first: Page,
): AsyncGenerator<StoredFailure[]> {
  for (let page = first; ; ) {
    if (page.rows.length > 0) yield page.rows;
    if (page.isLast) return;
    await getLiveHead(database, principal);
    page = await readPage(database, principal, runId, page.rows.at(-1)?.number ?? 0);
  }
}

interface FailureFormat {
  contentType?: string;
  start: string;
  toText: (rows: StoredFailure[]) => string;
  end: () => string;
}

function toJson({ error, values }: StoredFailure): string {
  return `${error.slice(0, -1)},"values":${values}}`;
}

function formatOf(mediaType: string): FailureFormat {
  return mediaType === JSON_TYPE ? jsonFormat() : ndjsonFormat();
}

function jsonFormat(): FailureFormat {
  let separator = '';
  const toText = (rows: StoredFailure[]) => {
    const text = separator + rows.map(toJson).join();
    separator = ',';
    return text;
  };
  return { start: '{"data":[', toText, end: () => ']}' };
}

function ndjsonFormat(): FailureFormat {
  let count = 0;
  const toText = (rows: StoredFailure[]) => {
    count += rows.length;
    return rows.map((row) => `${toJson(row)}\n`).join('');
  };
  return { start: '', toText, end: () => `{"end":true,"count":${count}}\n` };
}

/** With the separator of the run's file, so that an import reads `1,250` in the same way. */
function csvFormat(columns: string[], mapped: string[], separator: StoredRun['separator']): FailureFormat {
  const toLine = (cells: string[]) => toCsvLine(cells, separator ?? undefined);
  const toText = (rows: StoredFailure[]) =>
    rows.map((row) => toLine(toCells(row, columns, separator !== null))).join('');
  return {
    contentType: 'text/csv; charset=utf-8',
    start: toLine([...ownColumns([...columns, ...mapped]), ...columns.map(encodeCell)]),
    toText,
    end: () => '',
  };
}

/** The names of the columns before the row's own ones. An import rejects a file that has a name twice. */
function ownColumns(columns: readonly string[]): string[] {
  const taken = new Set(columns.map((name) => name.trim().toLowerCase()));
  const free = (name: string): string => (taken.has(name) ? free(`error_${name}`) : name);
  return OWN_COLUMNS.map(free);
}

function toCells({ error, values }: StoredFailure, columns: string[], isCsv: boolean): string[] {
  const { line, code, message, details } = JSON.parse(error);
  const issues = Array.isArray(details) ? details.map((issue) => `${issue.field}: ${issue.message}`).join(' ') : '';
  const own: unknown = values === null ? {} : parseValues(values);
  // A column can be called `constructor`, which every object inherits.
  const cells = columns.map((name) => (isObject(own) && Object.hasOwn(own, name) ? toCell(own[name], isCsv) : ''));
  return [String(line), code, encodeCell(message), encodeCell(issues), ...cells];
}

/** `JSON.stringify` writes the result as it is. TypeScript does not declare this function yet. */
const rawJson: (text: string) => object = Object(JSON).rawJSON;

/** Keeps the text of numbers that would be rounded, because an import would accept the rounded ones. */
function parseValues(values: string): unknown {
  try {
    const own = parseJson(values, rawJson);
    if (own !== TOO_MANY_VALUES) return own;
  } catch (error) {
    // For example, the row has a member twice.
    if (!(error instanceof JsonError)) throw error;
  }
  return JSON.parse(values);
}

/** A number that begins with a sign; spreadsheets do not run it as a formula. */
const SIGNED_NUMBER = /^[-+]\d[\d.,]*(?:e[-+]?\d+)?$/i;

/** Encodes a value so that an import reads it as it reads the value in the run's file, which can have guards itself. */
function toCell(value: unknown, isCsv: boolean): string {
  if (value === null) return '';
  if (typeof value !== 'string') return encodeCell(value);
  const text = value.replaceAll('\r\n', '\n');
  const plain = isCsv ? withoutGuards(text) : text;
  return SIGNED_NUMBER.test(plain) ? plain : encodeCell(plain);
}
