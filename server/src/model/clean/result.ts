/** A value as the API writes it, or why it cannot be read. */
export type Cleaned =
  | {
      /** Empty for no value. Equal to the given text if that is already valid, or cannot be read. */
      text: string;
      /** The unit of an area. */
      unit?: Unit;
      /** The currency of a price, or `$` for one of several. */
      currency?: string;
    }
  | { problem: string };

export type Unit = 'acres' | 'sqft' | 'sqm';

/** The value can be read in several ways. */
export function ambiguous(given: string, ...meanings: string[]): Cleaned {
  return { problem: `"${given}" can mean ${meanings.join(' or ')}; write which.` };
}
