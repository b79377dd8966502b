import { InvalidArgumentError } from 'commander';

/** A number as it is written in JSON; the service says which ones it takes. */
export function parseNumber(text: string): number {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) {
    throw new InvalidArgumentError('It must be a number such as 3 or 450000.50, without separators or units.');
  }
  return Number(text);
}

/** Such as the number of listings to show. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return count;
}
