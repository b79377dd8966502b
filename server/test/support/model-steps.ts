import fc from 'fast-check';
import type { Fields } from './model.ts';

/** One action of a client. `at` selects an existing listing, modulo their number. */
export type Step =
  | { does: 'create'; fields: Fields }
  | { does: 'put'; externalId: string; fields: Fields }
  | { does: 'patch'; at: number; patch: Fields }
  | { does: 'delete'; at: number }
  | { does: 'deleteExternal'; externalId: string }
  | { does: 'import'; rows: Fields[]; isAtomic: boolean; mode: 'merge' | 'replace' }
  | { does: 'retry'; at: number };

/** Objects like those from JSON.parse. */
const PLAIN = { noNullPrototype: true };

/** Few values, so that they collide. */
const externalId = fc.constantFrom('a', 'b/c', 'ü d', "'e");
const text = fc.constantFrom('Elm Street 12', 'élan', '=1+1', 'a,b\n"c"', '日本', "'");
const line = fc.constantFrom('Austin', 'Dallas', 'São Paulo', '-5');
const price = fc.constantFrom(1, 450_000.5, 999_999_999_999.99);
const metadataValue = fc.constantFrom('x', 0, 1.5, true, '');

const required = { address: text.map((value) => value.replaceAll('\n', ' ')), beds: fc.nat(3), baths: fc.nat(3) };
const optional = {
  city: line,
  status: fc.constantFrom('active', 'pending', 'hold'),
  description: text,
  listPrice: price,
  closePrice: price,
  yearBuilt: fc.constantFrom(1900, 2000),
  onMarketDate: fc.constantFrom('2026-11-22', '2000-02-29'),
  metadata: fc.dictionary(fc.constantFrom('m', 'n'), metadataValue, PLAIN),
};
/** Optional fields that an import removes. */
const removals = fc.record({ city: fc.constant(null), listPrice: fc.constant(null) }, { requiredKeys: [], ...PLAIN });

const fields = fc.record({ ...required, ...optional }, { requiredKeys: ['address', 'beds', 'baths'], ...PLAIN });
const withExternalId = fc.tuple(fields, externalId).map(([given, id]) => ({ ...given, externalId: id }));

const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const patch = fc.record(
  {
    ...required,
    externalId: nullable(externalId),
    city: nullable(line),
    status: nullable(optional.status),
    description: nullable(text),
    listPrice: nullable(price),
    closePrice: nullable(price),
    yearBuilt: nullable(optional.yearBuilt),
    onMarketDate: nullable(optional.onMarketDate),
    metadata: nullable(fc.dictionary(fc.constantFrom('m', 'n'), nullable(metadataValue), PLAIN)),
  },
  { requiredKeys: [], ...PLAIN },
);

const at = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('create' as const), fields: fc.oneof(fields, withExternalId) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('put' as const), externalId, fields }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('patch' as const), at, patch }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), at }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('deleteExternal' as const), externalId }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('import' as const),
      rows: fc.array(
        fc.tuple(fc.oneof(fields, withExternalId), removals).map(([row, removed]) => ({ ...row, ...removed })),
        { maxLength: 6 },
      ),
      isAtomic: fc.boolean(),
      mode: fc.constantFrom('merge' as const, 'replace' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('retry' as const), at }) },
);

export const steps = fc.array(step, { minLength: 1, maxLength: 14 });
