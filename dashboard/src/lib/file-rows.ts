/** A row of a file: the number of its first line, or of its element in a JSON array, and its values by column. */
export interface FileRow {
  line: number;
  values: Record<string, unknown>;
  /** The row of a CSV file as it is in the file. It can have more or fewer cells than the header. */
  csv?: { header: string[]; cells: string[]; separator: string | undefined };
}

const TYPES: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

export function typeOf({ name }: File): string {
  return TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text/csv';
}

/**
 * Reads the rows as the service does, in constant memory unless the file is a JSON array. JSON rows that are
 * not objects are omitted.
 * @param isStrict whether to throw for CSV or NDJSON that is not UTF-8, instead of reading invalid bytes as U+FFFD
 * @throws {TypeError} for such a file if `isStrict`, or {SyntaxError} for an invalid JSON array
 */
export async function* readRows(file: File, isStrict: boolean): AsyncGenerator<FileRow> {
  const type = typeOf(file);
  if (type === 'text/csv') yield* withHeader(splitCsv(readText(file, isStrict)));
  else if (type === 'application/json') yield* await readArray(file);
  else yield* parseLines(readText(file, isStrict));
}

/** Returns the rows that begin on the given lines, even if they are not UTF-8. */
export async function collectRows(file: File, lines: ReadonlySet<number>): Promise<FileRow[]> {
  const found: FileRow[] = [];
  if (lines.size === 0) return found;
  for await (const row of readRows(file, false)) {
    if (lines.has(row.line)) found.push(row);
    if (found.length === lines.size) break;
  }
  return found;
}

async function* readText(file: File, isStrict: boolean): AsyncGenerator<string> {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream('utf-8', { fatal: isStrict }))
    .getReader();
  try {
    for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) yield part.value;
  } finally {
    // Stop the reader if the file was not read to its end.
    await reader.cancel().catch(() => undefined);
  }
}

interface FileRecord<Content> {
  line: number;
  content: Content;
  separator?: string | undefined;
}

type Records<Content> = AsyncGenerator<FileRecord<Content>>;

async function* withHeader(records: Records<string[]>): AsyncGenerator<FileRow> {
  let header: string[] | undefined;
  for await (const { line, content: cells, separator } of records) {
    const values = header?.map((name, index) => [name, cells[index] ?? '']);
    if (header && values) yield { line, values: Object.fromEntries(values), csv: { header, cells, separator } };
    header ??= cells.map((name) => name.trim());
  }
}

async function* parseLines(chunks: AsyncGenerator<string>): AsyncGenerator<FileRow> {
  let line = 0;
  let rest = '';
  for await (const chunk of withLastBreak(chunks)) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      const values = parseObject(text);
      if (values !== undefined) yield { line, values };
    }
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the objects of an array, or of the array in RESO's `{"value": […]}`. The whole file is parsed at
 * once, because `JSON.parse` cannot read it in parts.
 */
async function readArray(file: File): Promise<FileRow[]> {
  const parsed: unknown = JSON.parse(await file.text());
  const rows: unknown = Array.isArray(parsed) ? parsed : Object(parsed).value;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((values, index) => (isObject(values) ? [{ line: index + 1, values: { ...values } }] : []));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const LINE_BREAK = /\r\n|\r|\n/g;

/**
 * Parses CSV as in RFC 4180, but detects the separator (comma, semicolon, or tab), accepts any line break, and skips
 * blank lines. A quote inside an unquoted cell is an ordinary character.
 */
async function* splitCsv(chunks: AsyncGenerator<string>): Records<string[]> {
  let separator: string | undefined;
  let cells: string[] = [];
  let cell = '';
  let state: 'start' | 'plain' | 'quoted' | 'closing' = 'start';
  let line = 1;
  let previous = '';
  for await (const chunk of withLastBreak(chunks)) {
    separator ??= findSeparator(chunk);
    for (const char of chunk) {
      const isSecondOfBreak = char === '\n' && previous === '\r';
      previous = char;
      if (state === 'quoted') {
        if (char === '"') state = 'closing';
        else cell += char;
      } else if (char === '"' && state !== 'plain') {
        if (state === 'closing') cell += char;
        state = 'quoted';
      } else if (char === separator) {
        cells.push(cell);
        cell = '';
        state = 'start';
      } else if (char === '\r' || char === '\n') {
        if (isSecondOfBreak) continue;
        cells.push(cell);
        if (cells.length > 1 || cell !== '') yield { line, content: cells, separator };
        line += cells.reduce((sum, text) => sum + (text.match(LINE_BREAK)?.length ?? 0), 1);
        cells = [];
        cell = '';
        state = 'start';
      } else {
        cell += char;
        state = 'plain';
      }
    }
  }
}

async function* withLastBreak(chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* chunks;
  yield '\n';
}

/** Returns the separator that occurs most often in the first line. */
function findSeparator(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1);
  const plain = line.replaceAll(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: plain.split(separator).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).separator;
}
