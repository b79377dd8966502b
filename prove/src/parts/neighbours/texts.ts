export const MEBIBYTE = 1024 * 1024;
const HEADER_BYTES = 15_000;

export function numbered(count: number, text: string): string[] {
  return Array.from({ length: count }, (_, index) => `${text}${index}`);
}

/** An object with so many members. */
export function objectOf(count: number, name: string): string {
  return `{${numbered(count, `"${name}`).join('":0,')}":0}`;
}

/** An array of the same value again and again. */
export function arrayOf(count: number, value: string): string {
  return `[${`${value},`.repeat(count - 1)}${value}]`;
}

/** Listings, a line each. */
export function rows(count: number, more: object = {}, externalIdOf?: (index: number) => string): string {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      ...{ address: `${index} Elm Street`, beds: 3, baths: 2 },
      ...(externalIdOf && { externalId: externalIdOf(index) }),
      ...more,
    }),
  );
  return lines.join('\n');
}

/** A header's value as long as it may be. */
export function list(value: string): string {
  return `${value},`.repeat(HEADER_BYTES / (value.length + 1)).slice(0, -1);
}
