const BYTES_PER_MB = 1e6;

/** Aligns the first column to the left and all others to the right. */
export function formatTable(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function formatMs(value: number | undefined): string {
  if (value === undefined) return '-';
  return value < 10 ? value.toFixed(2) : value.toFixed(0);
}

/** Formats a ratio with two decimals or, below 0.1, with two significant digits. */
export function formatRatio(value: number): string {
  return value < 0.1 ? value.toPrecision(2) : value.toFixed(2);
}

export function formatPercent(part: number | undefined): string {
  return part === undefined ? '?' : `${Math.round(part * 100)}%`;
}

export function formatGrowth(bytes: number | undefined): string {
  return bytes === undefined ? '-' : `+${(bytes / BYTES_PER_MB).toFixed(0)} MB`;
}
