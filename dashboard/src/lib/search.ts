/** Parses query parameters as plain text, so that the URL stays as it was typed. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given).toString().replaceAll('%2C', ',').replaceAll('%5B', '[').replaceAll('%5D', ']')}`;
}

/** Returns a function that keeps only the named parameters. */
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

/** The search without its empty parameters. */
export function compactSearch<Name extends string>(search: Partial<Record<Name, string | undefined>>) {
  const given: Partial<Record<Name, string>> = {};
  for (const name in search) if (search[name]) given[name] = search[name];
  return given;
}
