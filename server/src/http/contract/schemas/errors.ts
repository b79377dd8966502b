import { z } from 'zod';
import { ERROR_CODES } from '../../../model/errors.ts';
import { namedObject } from './fields.ts';

export const errorReply = namedObject('Error', {
  error: z.looseObject({
    code: z.enum(ERROR_CODES),
    message: z.string().describe('The problem, and how to solve it.'),
    requestId: z
      .string()
      .optional()
      .describe('The id of the request, as in `X-Request-Id`; absent if an API key is rejected.'),
    details: z
      .array(
        z.object({
          line: z
            .int()
            .optional()
            .describe('For an import: the line on which the row begins or, for a JSON array, the element.'),
          field: z.string().meta({ example: 'photos[2].url' }),
          code: z.string(),
          message: z.string(),
        }),
      )
      .optional()
      .describe('The invalid fields.'),
  }),
});
