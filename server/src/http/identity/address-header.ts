/** In which header better-auth is told where a request comes from. */
export const ADDRESS_HEADER = 'x-client-address';
