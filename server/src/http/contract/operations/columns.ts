import { z } from 'zod';
import { operation } from '../operation.ts';
import { expected, inputObject, namedObject } from '../schemas/fields.ts';
import { INPUT_ERRORS, invalid, jsonBody, okReply } from './common.ts';

/** The same limits as those of the columns in `map`. */
const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 200;

export const columnNames = inputObject('ColumnNames', {
  names: z.array(z.string().max(NAME_LENGTH_MAX), expected('an array')).max(NAMES_MAX).describe('The column names.'),
});

const columns = namedObject('Columns', {
  columns: z.array(
    z.object({
      name: z.string(),
      field: z
        .string()
        .nullable()
        .describe('The field, or the part of a field such as `LotSizeAcres`, that the name means or probably means.'),
      isKnown: z.boolean().describe('Whether an import can read the column without `map`.'),
    }),
  ),
});

export const matchColumnsOperation = operation('member', 'post', '/imports/columns', {
  operationId: 'matchColumns',
  summary: 'Find the fields of columns',
  description:
    'For each column name, returns the field that it names, or the field that it probably means if the name is a ' +
    'synonym, a different spelling, or a typo. Nothing is stored.',
  body: jsonBody(columnNames, { names: ['ListPrice', 'Zip', 'Agent'] }),
  replies: [
    okReply('The columns, in the same order.', columns, {
      columns: [
        { name: 'ListPrice', field: 'listPrice', isKnown: true },
        { name: 'Zip', field: 'postalCode', isKnown: false },
        { name: 'Agent', field: null, isKnown: false },
      ],
    }),
  ],
  errors: INPUT_ERRORS,
  errorExamples: {
    validation_failed: invalid({ field: 'names', code: 'invalid_type', message: 'Must be an array, not a string.' }),
  },
});
