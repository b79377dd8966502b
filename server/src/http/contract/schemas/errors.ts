import { z } from 'zod';
import { ERROR_CODES } from '../../../model/errors.ts';

export const errorReply = z
  .object({
    error: z.looseObject({
      code: z.enum(ERROR_CODES),
      message: z.string().meta({ description: 'The problem, and how to solve it.' }),
      requestId: z
        .string()
        .optional()
        .meta({ description: 'The id of the request, as in `X-Request-Id`; absent if an API key is rejected.' }),
      details: z
        .array(
          z.object({
            line: z.int().optional().meta({
              description: 'For an import: the line on which the row begins or, for a JSON array, the element.',
            }),
            field: z.string().meta({ example: 'photos[2].url' }),
            code: z.string(),
            message: z.string(),
          }),
        )
        .optional()
        .meta({ description: 'The invalid fields.' }),
    }),
  })
  .meta({ id: 'Error' });
