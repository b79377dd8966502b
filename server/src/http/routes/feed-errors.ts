import { getLiveHead, type Principal } from '../../domain/access/principals.ts';
import { isObject } from '../../lib/merge-patch.ts';
import type { Database } from '../../storage/database.ts';
import { findFailures, type StoredFailure } from '../../storage/feed-errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import { encodeCell, toCsvLine } from '../contract/schemas/listing-csv.ts';
import { inChunks } from '../protocol/chunks.ts';
import type { Reply } from '../protocol/reply.ts';

const PAGE = { limit: 100, bytesMax: 128 * 1024 };

/**
 * Lists the failed rows of a run. More than one page is streamed; the principal is checked again after each page.
 * @param mapped the columns that the feed maps to fields
 */
export async function replyFailures(
  database: Database,
  principal: Principal,
  runId: string,
  { mediaType, mapped }: { mediaType: string; mapped: string[] },
): Promise<Reply> {
  const { contentType = mediaType, start, toText, end } = formatOf(mediaType, mapped);
  const head = { status: 200, headers: { 'Content-Type': contentType }, isCompressible: true };
  const first = await readPage(database, principal, runId, 0);
  if (first.isLast) return { ...head, body: start + (first.rows.length > 0 ? toText(first.rows) : '') + end() };
  const pages = readPages(database, principal, runId, first);
  return { ...head, body: inChunks([start], pages, (rows) => [toText(rows)], end) };
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

function formatOf(mediaType: string, mapped: string[]): FailureFormat {
  if (mediaType === 'text/csv') return csvFormat(mapped);
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

function csvFormat(mapped: string[]): FailureFormat {
  let columns: string[] | undefined;
  const toText = (rows: StoredFailure[]) => {
    const known = columns ?? columnsOf(rows);
    const header =
      columns === undefined ? toCsvLine([...ownColumns([...known, ...mapped]), ...known.map(encodeCell)]) : '';
    columns = known;
    return header + rows.map((row) => toLine(row, known)).join('');
  };
  return {
    contentType: 'text/csv; charset=utf-8',
    start: '',
    toText,
    end: () => (columns === undefined ? toCsvLine(ownColumns(mapped)) : ''),
  };
}

/** The names of the columns before the row's own ones. An import rejects a file that has a name twice. */
function ownColumns(columns: readonly string[]): string[] {
  const taken = new Set(columns.map((name) => name.trim().toLowerCase()));
  const free = (name: string): string => (taken.has(name) ? free(`error_${name}`) : name);
  return ['line', 'code', 'message', 'details'].map(free);
}

/** A CSV file's rows all have the same columns; for JSON, the columns are the members of the first rows. */
function columnsOf(rows: StoredFailure[]): string[] {
  return [...new Set(rows.flatMap(({ values }) => (values === null ? [] : Object.keys(JSON.parse(values)))))];
}

function toLine({ error, values }: StoredFailure, columns: string[]): string {
  const { line, code, message, details } = JSON.parse(error);
  const issues = Array.isArray(details) ? details.map((issue) => `${issue.field}: ${issue.message}`).join(' ') : '';
  const own: unknown = values === null ? {} : JSON.parse(values);
  // A column can be called `constructor`, which every object inherits.
  const cells = columns.map((name) => (isObject(own) && Object.hasOwn(own, name) ? toCell(own[name]) : ''));
  return toCsvLine([String(line), code, encodeCell(message), encodeCell(issues), ...cells]);
}

function toCell(value: unknown): string {
  return value === null ? '' : encodeCell(value);
}
