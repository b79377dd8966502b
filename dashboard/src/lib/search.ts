import { useMatch, useNavigate } from '@tanstack/react-router';

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
 * Returns the functions that change the filters and the page of a list, which are parameters of the page's URL.
 * `cursorName` is the parameter that selects the page. A changed filter opens the first page.
 */
export function useListSearch<Name extends string>(search: Partial<Record<Name, string>>, cursorName: NoInfer<Name>) {
  const navigate = useNavigate();
  // Not `.`, which means the next page while that page is loading.
  const to = useMatch({ strict: false, select: ({ pathname }) => pathname });
  const change = (name: Name, value: string | undefined, replace: boolean) =>
    void navigate({ to, search: { ...search, [cursorName]: undefined, [name]: value }, replace });
  return {
    /** Returns the `value` and `onChange` props of a filter's control. */
    bind: (name: Name) => ({
      value: search[name],
      onChange: (value: string | undefined) => change(name, value, true),
    }),
    onPage: (cursor: string | undefined) => change(cursorName, cursor, false),
  };
}
