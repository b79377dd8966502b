import { type ErrorCode, INVALID_KEY } from '../../model/errors.ts';
import { ACCESS_ERRORS } from './errors/access.ts';
import { BODY_ERRORS } from './errors/bodies.ts';
import { CONFLICT_ERRORS } from './errors/conflicts.ts';
import type { ErrorEntry } from './errors/entry.ts';
import { FEED_ERRORS } from './errors/feeds.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import { SERVICE_ERRORS } from './errors/service.ts';

export const ERRORS: Record<ErrorCode, ErrorEntry> = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...BODY_ERRORS,
  ...CONFLICT_ERRORS,
  ...FEED_ERRORS,
  ...SERVICE_ERRORS,
};

/** The body of every 401 response below `/v1`. The service's specification fixes it, so it has no `requestId`. */
export const INVALID_KEY_BODY = `{"error":{"code":"unauthorized","message":"${INVALID_KEY}"}}`;
