/** What programs use stands below this path. */
export const V1_BASE = '/v1';
/** What the dashboard uses. */
export const ADMIN_BASE = '/admin';
/** Below each of them, its OpenAPI document. */
export const OPENAPI_NAME = '/openapi.json';
