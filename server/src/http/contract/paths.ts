/** The API for programs. */
export const V1_BASE = '/v1';
/** The API for the dashboard. */
export const ADMIN_BASE = '/admin';
/** The OpenAPI document of each API, below its base. */
export const OPENAPI_NAME = '/openapi.json';
