/**
 * Sorts by the field named in `sort`, in descending order if `sort` begins with `-`. Rows without the field come
 * last in either order.
 */
export function sortRows<Row extends object>(rows: Row[], sort: string | undefined): Row[] {
  if (sort === undefined) return rows;
  const field = sort.replace('-', '');
  const sign = sort.startsWith('-') ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: Object.entries(row).find(([name]) => name === field)?.[1] ?? '' }));
  keyed.sort((a, b) => Number(a.key === '') - Number(b.key === '') || sign * compare(a.key, b.key));
  return keyed.map(({ row }) => row);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
