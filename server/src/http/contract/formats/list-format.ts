/** What a list says besides its listings. */
export interface ListFrame {
  /** Leads to the next page. */
  nextCursor: string | null;
  /** The account's, read before the first listing. */
  sequence: number;
  epoch: string;
  /** How many there are on all pages, if that was asked for. */
  total?: number | undefined;
}

/** Which members of each listing are sent, in the order of all replies; undefined for all of them. */
export type Fields = readonly string[] | undefined;

/** A way to write a list; listings come as the JSON texts that are stored. */
export interface ListFormat {
  mediaType: string;
  contentType: string;
  /** Headers for what has no place in the body. */
  headers?: (frame: ListFrame) => Record<string, string>;
  begin: (fields: Fields) => string;
  rows: (docs: readonly string[], fields: Fields) => readonly string[];
  /** What stands between two rows. */
  separator: string;
  end: (frame: ListFrame, count: number) => string;
}

/** The JSON text of a listing with these members only. */
export function pickFields(doc: string, fields: readonly string[]): string {
  const listing = JSON.parse(doc);
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, listing[field]])));
}

/** The members of a frame as they end a JSON object. */
export function toLastMembers({ nextCursor, sequence, epoch, total }: ListFrame): string {
  return JSON.stringify({ nextCursor, sequence, epoch, total }).slice(1);
}
