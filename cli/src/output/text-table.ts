import { fit, pad, widthOf } from './terminal.ts';

export interface Column {
  heading: string;
  isNumber: boolean;
  /** Never truncated, because users copy it. */
  isWhole: boolean;
}

const GAP = '  ';
/** The minimum width of a truncated column. */
const WIDTH_MIN = 6;

/** Fits the columns of these rows into the terminal; shrinks the widest text first. */
export function fitColumns(columns: readonly Column[], rows: readonly string[][], terminalWidth: number): number[] {
  const widths = columns.map(({ heading }, index) =>
    Math.max(widthOf(heading), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  for (let excess = totalWidth(widths) - terminalWidth; excess > 0; excess -= 1) {
    const widest = Math.max(WIDTH_MIN, ...widths.filter((_, index) => canShrink(columns[index])));
    const index = widths.findIndex((width, at) => width === widest && canShrink(columns[at]));
    if (index < 0 || widest === WIDTH_MIN) break;
    widths[index] = widest - 1;
  }
  return widths;
}

function canShrink(column: Column | undefined): boolean {
  return column !== undefined && !column.isWhole && !column.isNumber;
}

function totalWidth(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, GAP.length * (widths.length - 1));
}

/** Formats a row. In a very narrow terminal, it truncates the line instead of wrapping it. */
export function toTableLine(
  cells: readonly string[],
  columns: readonly Column[],
  widths: readonly number[],
  terminalWidth: number,
): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    return pad(fit(cell, width), width, columns[index]?.isNumber);
  });
  const line = padded.join(GAP).trimEnd();
  return totalWidth(widths) > terminalWidth ? fit(line, terminalWidth) : line;
}
