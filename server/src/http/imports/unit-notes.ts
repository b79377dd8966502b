import type { FileWarning, ReadingOptions } from './reading.ts';

interface Note {
  line: number;
  /** Undefined if the amount does not name a unit. */
  unit: string | undefined;
}

/**
 * Notes which of a file's amounts name their unit or currency. If some amounts name a unit other than the
 * account's, the amounts that do not name a unit probably use the same unit.
 */
export class UnitNotes {
  readonly #assumed: Readonly<Record<string, string>>;
  readonly #defaults: ReadonlyMap<string, string>;
  /** The first amount with a unit other than the assumed one, and the first without a unit, by the unit's field. */
  readonly #named = new Map<string, Note>();
  readonly #unnamed = new Map<string, Note>();

  constructor({ units, defaults }: Pick<ReadingOptions, 'units' | 'defaults'>) {
    const { currency = '', areaUnits = '' } = units ?? {};
    this.#assumed = { currency, livingAreaUnits: areaUnits, lotSizeUnits: areaUnits };
    this.#defaults = defaults;
  }

  /** The unit of amounts that do not name one. */
  assumed(field: string): string {
    return this.#defaults.get(field) ?? this.#assumed[field] ?? '';
  }

  hasDefault(field: string): boolean {
    return this.#defaults.has(field);
  }

  add(field: string, { line, unit }: Note): void {
    if (unit === this.assumed(field)) return;
    const notes = unit === undefined ? this.#unnamed : this.#named;
    if (!notes.has(field)) notes.set(field, { line, unit });
  }

  warnings(): FileWarning[] {
    return [...this.#named].flatMap(([field, named]) => {
      const unnamed = this.#unnamed.get(field);
      // A default says what the amounts without a unit mean.
      if (unnamed === undefined || this.hasDefault(field)) return [];
      const kind = field === 'currency' ? 'currency' : 'unit';
      const message =
        `Line ${named.line} is in ${named.unit}, but line ${unnamed.line} does not name a ${kind}, so a new listing ` +
        `gets ${this.assumed(field)}, the account's default. To define the ${kind} of such values, ` +
        `set defaults[${field}].`;
      return [{ field, message }];
    });
  }
}
