/** The members of a list besides its listings. */
export interface ListFrame {
  nextCursor: string | null;
  /** The account's sequence, read before the first listing. */
  sequence: number;
  epoch: string;
  /** The number of listings on all pages, with `count=true`. */
  total?: number | undefined;
}

/** The members of each listing to send, in the order of every response; undefined for all. */
export type Fields = readonly string[] | undefined;

/** Writes a list in one media type, from the stored JSON of its listings. */
export interface ListFormat {
  mediaType: string;
  contentType: string;
  /** Members of the frame that the body cannot contain. */
  headers?: (frame: ListFrame) => Record<string, string>;
  begin: (fields: Fields) => string;
  rows: (docs: readonly string[], fields: Fields) => readonly string[];
  separator: string;
  end: (frame: ListFrame, count: number) => string;
}

export function pickFields(doc: string, fields: readonly string[]): string {
  const listing = JSON.parse(doc);
  return JSON.stringify(Object.fromEntries(fields.map((field) => [field, listing[field]])));
}

/** The members of a frame as the end of a JSON object. */
export function toLastMembers({ nextCursor, sequence, epoch, total }: ListFrame): string {
  return JSON.stringify({ nextCursor, sequence, epoch, total }).slice(1);
}
