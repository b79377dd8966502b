import { getLiveHead, type Principal } from '../../domain/access/principals.ts';
import { isObject } from '../../lib/merge-patch.ts';
import type { Database } from '../../storage/database.ts';
import { findFailures, type StoredFailure } from '../../storage/feed-errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import { encodeCell, toCsvLine } from '../contract/schemas/listing-csv.ts';
import { inChunks } from '../protocol/chunks.ts';
import type { Reply } from '../protocol/reply.ts';

const PAGE = { limit: 100, bytesMax: 128 * 1024 };

/** Streams the failed rows of a run. The principal is checked again after each page. */
export function replyFailures(database: Database, principal: Principal, runId: string, mediaType: string): Reply {
  const pages = readPages(database, principal, runId);
  const { contentType = mediaType, start, toText, end } = formatOf(mediaType);
  return {
    status: 200,
    headers: { 'Content-Type': contentType },
    body: inChunks([start], pages, (rows) => [toText(rows)], end),
    isCompressible: true,
  };
}

async function* readPages(database: Database, principal: Principal, runId: string): AsyncGenerator<StoredFailure[]> {
  let after = 0;
  for (;;) {
    const { rows, isCut } = await findFailures(database, principal.accountId, runId, after, PAGE);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE.limit && !isCut) return;
    after = rows.at(-1)?.number ?? after;
    await getLiveHead(database, principal);
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
  if (mediaType === 'text/csv') return csvFormat();
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

function csvFormat(): FailureFormat {
  let columns: string[] | undefined;
  const toText = (rows: StoredFailure[]) => {
    const known = columns ?? columnsOf(rows);
    const header = columns === undefined ? toCsvLine([...ownColumns(known), ...known.map(encodeCell)]) : '';
    columns = known;
    return header + rows.map((row) => toLine(row, known)).join('');
  };
  return {
    contentType: 'text/csv; charset=utf-8',
    start: '',
    toText,
    end: () => (columns === undefined ? toCsvLine(ownColumns([])) : ''),
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
