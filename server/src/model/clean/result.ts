/** A value in the API's format, or the reason it cannot be read. */
export type Cleaned =
  | {
      /** The value: empty if there is none, or the given string if no rule applies to it. */
      text: string;
      unit?: Unit;
      /** The currency of a price, or `$` if it can be one of several. */
      currency?: string;
    }
  | {
      problem: string;
      /** The value of an area without a unit, if the area turns out to be in acres. */
      inAcres?: string | undefined;
    };

export type Unit = 'acres' | 'sqft' | 'sqm';

export function ambiguous(given: string, ...meanings: string[]): Cleaned {
  return { problem: `"${given}" can mean ${meanings.join(' or ')}; specify which.` };
}
