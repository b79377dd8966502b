export const MEBIBYTE = 1024 * 1024;
const HEADER_BYTES = 15_000;

export function numbered(count: number, text: string): string[] {
  return Array.from({ length: count }, (_, index) => `${text}${index}`);
}

export function objectOf(count: number, name: string): string {
  return `{${numbered(count, `"${name}`).join('":0,')}":0}`;
}

export function arrayOf(count: number, value: string): string {
  return `[${`${value},`.repeat(count - 1)}${value}]`;
}

/** Listings, one per line. */
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

export function list(value: string): string {
  return `${value},`.repeat(HEADER_BYTES / (value.length + 1)).slice(0, -1);
}
