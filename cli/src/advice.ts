/** What to do about a key or an address that is wrong, by where it is from. */
export interface Advice {
  key: string;
  address: string;
}

const KEY = 'PROPERTY_LISTINGS_API_KEY';
const BASE_URL = 'PROPERTY_LISTINGS_BASE_URL';

/** For all commands that use what the environment says or, without it, what `login` has stored. */
export function adviceByOrigin(): Advice {
  const { [KEY]: key, [BASE_URL]: baseUrl } = process.env;
  return {
    key: key
      ? `The key is from ${KEY}, which wins over what "listings login" stores: change it there.`
      : '"listings login" stores another key.',
    address: baseUrl
      ? `Is the service running, and is the address in ${BASE_URL} right?`
      : 'Is the service running, and is the address right? "listings login" stores another one.',
  };
}

/** For `login` itself, whose key and address were just given. */
export const LOGIN_ADVICE: Advice = {
  key: 'Nothing was stored.',
  address: 'Is the service running, and is the address right? Nothing was stored.',
};
