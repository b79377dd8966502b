/** A value in the API's format, or the reason it cannot be read. */
export type Cleaned =
  | {
      /** The value; empty if there is none. The given string if it is already valid or cannot be read. */
      text: string;
      /** The unit of an area. */
      unit?: Unit;
      /** The currency of a price, or `$` if it can be one of several. */
      currency?: string;
    }
  | { problem: string };

export type Unit = 'acres' | 'sqft' | 'sqm';

/** The result for a value that can be read in more than one way. */
export function ambiguous(given: string, ...meanings: string[]): Cleaned {
  return { problem: `"${given}" can mean ${meanings.join(' or ')}; specify which.` };
}
