import type { ErrorCode } from '../../model/errors.ts';
import { ACCESS_ERRORS } from './errors/access.ts';
import { BODY_ERRORS } from './errors/bodies.ts';
import { CONFLICT_ERRORS } from './errors/conflicts.ts';
import type { ErrorEntry } from './errors/entry.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import { SERVICE_ERRORS } from './errors/service.ts';

/** The one table of error codes. */
export const ERRORS: Record<ErrorCode, ErrorEntry> = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...BODY_ERRORS,
  ...CONFLICT_ERRORS,
  ...SERVICE_ERRORS,
};

export const KEY_REFUSED = 'Invalid or missing API key';
/** The body of every 401 below `/v1`, fixed by the specification. */
export const KEY_REFUSED_BODY = `{"error":{"code":"unauthorized","message":"${KEY_REFUSED}"}}`;
