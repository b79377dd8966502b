/** Parses query parameters as plain strings, so the URL stays as the user typed it. */
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

/**
 * Returns a function that, for a parameter, returns the `value` and `onChange` props of a filter's control.
 * `apply` receives the changed search without empty parameters.
 */
export function bindSearch<Name extends string>(
  search: Partial<Record<Name, string | undefined>>,
  apply: (search: Partial<Record<Name, string>>) => unknown,
) {
  return (name: Name) => ({
    value: search[name],
    onChange: (value: string | undefined) => {
      const next: Partial<Record<Name, string | undefined>> = { ...search, [name]: value };
      const given: Partial<Record<Name, string>> = {};
      for (const key in next) if (next[key]) given[key] = next[key];
      apply(given);
    },
  });
}
