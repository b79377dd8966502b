/** What stands behind `?` in the address: texts only, so that it reads as it was typed. */
export type Search = Record<string, string>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given).toString().replaceAll('%2C', ',').replaceAll('%5B', '[').replaceAll('%5D', ']')}`;
}

/** The members of a search that a page knows. */
export function pickSearch<Name extends string>(names: readonly Name[]) {
  return (search: Record<string, unknown>): Partial<Record<Name, string>> => {
    const known: Partial<Record<Name, string>> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === 'string' && value !== '') known[name] = value;
    }
    return known;
  };
}
