/** Of this package, as its package.json has it: sent with each request. */
export const VERSION = '0.1.0';
