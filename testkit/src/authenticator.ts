import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

interface Options {
  challenge: string;
}

/** A software authenticator with one passkey (WebAuthn Level 3 §6). */
export class Authenticator {
  readonly id: string;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #domain: string;
  readonly #origin: string;
  /** Whether it verifies the user by a PIN or biometrics. */
  verifiesUser = true;
  /** The attestation format. The attestation is not valid unless the format is `none`. */
  attestation = 'none';

  constructor(origin: string, { domain = 'localhost', id = randomBytes(16).toString('base64url') } = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.id = id;
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
    this.#domain = domain;
    this.#origin = origin;
  }

  /** What a browser returns for `navigator.credentials.create()`, as JSON. */
  create({ challenge }: Options) {
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.of(id.length >> 8, id.length & 0xff);
    const data = this.#data(HAS_CREDENTIAL, Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()]));
    const attestation = Buffer.concat([
      Buffer.of(0xa3),
      text('fmt'),
      text(this.attestation),
      text('attStmt'),
      // {} or {x5c: [a byte string]}
      this.attestation === 'none' ? Buffer.of(0xa0) : Buffer.of(0xa1, ...text('x5c'), 0x81, 0x41, 0x00),
      text('authData'),
      Buffer.of(0x58, data.length),
      data,
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** What a browser returns for `navigator.credentials.get()`, as JSON. */
  get({ challenge }: Options) {
    const data = this.#data(0, Buffer.alloc(0));
    const clientData = this.#clientData('webauthn.get', challenge);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
    });
  }

  #credential<R>(response: R) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #data(flag: number, rest: Buffer): Buffer {
    const flags = USER_PRESENT | (this.verifiesUser ? USER_VERIFIED : 0) | flag;
    const hash = createHash('sha256').update(this.#domain).digest();
    return Buffer.concat([hash, Buffer.of(flags, 0, 0, 0, 0), rest]);
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false }));
  }

  /** The public key as a COSE EC2 key for ES256 (RFC 9053 §7.1.1). */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const coordinate = (value: string) => Buffer.concat([Buffer.of(0x58, 32), Buffer.from(value, 'base64url')]);
    const head = Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01);
    return Buffer.concat([head, Buffer.of(0x21), coordinate(x), Buffer.of(0x22), coordinate(y)]);
  }
}

/** Encodes an ASCII string of up to 23 characters in CBOR (RFC 8949). */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + value.length), Buffer.from(value)]);
}
