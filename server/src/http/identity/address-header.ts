/** The header that passes the client's address to better-auth. */
export const ADDRESS_HEADER = 'x-client-address';
