import type { AccountUnits, FeedRow, FeedSource, RestoreRow } from '../../domain/feeds/feed-rows.ts';
import type { FeedColumn, FeedSettings } from '../../model/feeds.ts';
import type { ParsedRow } from '../contract/schemas/parse-row.ts';
import { type FileReading, makeInput } from './file-reading.ts';
import type { ReadRow } from './reading.ts';

interface FeedReading {
  file: FileReading;
  rows: AsyncIterable<ReadRow[]>;
}

type OpenFile = (settings: FeedSettings, units: AccountUnits, lastColumns: FeedColumn[]) => FeedReading;

export class FeedUpload implements FeedSource {
  readonly #open: OpenFile;
  #file: FileReading | undefined;
  readonly restore = restoreRow;

  constructor(open: OpenFile) {
    this.#open = open;
  }

  async *read(...[settings, units, known, lastColumns]: Parameters<FeedSource['read']>): AsyncGenerator<FeedRow[]> {
    const { file, rows } = this.#open(settings, units, lastColumns);
    this.#file = file;
    await file.sendKnown(known);
    for await (const some of rows) yield some.map(toFeedRow);
  }

  get columns(): FileReading['columns'] {
    return this.#opened.columns;
  }

  get separator(): FileReading['separator'] {
    return this.#opened.separator;
  }

  get warnings(): FileReading['warnings'] {
    return this.#opened.warnings;
  }

  readKnown(values: string): Pick<FeedRow, 'content' | 'cleaned'> {
    return toContent(this.#opened.readKnown(values));
  }

  describeValues(values: string, lengthMax: number): string | null {
    return this.#opened.describeValues(values, lengthMax);
  }

  get #opened(): FileReading {
    if (this.#file === undefined) throw new Error('The file has not been read.');
    return this.#file;
  }
}

/** Converts a row for a feed. The `content` of a valid row is a string, so that it can be stored on disk. */
function toFeedRow(row: ReadRow): FeedRow {
  const { line, externalId, values, isCut = false } = row;
  const hash = 'hash' in row ? row.hash : undefined;
  const possibleIds = 'possibleIds' in row ? row.possibleIds : undefined;
  return { line, externalId, possibleIds, values, hash, isCut, ...toContent(row) };
}

function toContent(row: ReadRow): Pick<FeedRow, 'content' | 'cleaned'> {
  if ('issue' in row) return { content: row.issue, cleaned: 0 };
  if (!('patch' in row)) return { content: undefined, cleaned: 0 };
  const { patch, lack, cleaned, currencyOfPrices } = row;
  return { content: JSON.stringify({ patch, lack, currencyOfPrices } satisfies ParsedRow), cleaned };
}

const restoreRow: RestoreRow = (content) => {
  const row: ParsedRow = JSON.parse(content);
  return (current) => makeInput(row, 'merge', current);
};
