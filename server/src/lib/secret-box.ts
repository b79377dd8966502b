import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Every encrypted value begins with this; no plain secret does. */
const PREFIX = 'encrypted:1:';

/** Encrypts secrets that are stored in the database, if the operator has set a key. */
export class SecretBox {
  readonly #key: Buffer | undefined;

  /** `key` has 32 bytes; without it, secrets are stored as plain text. */
  constructor(key: Buffer | undefined) {
    this.#key = key;
  }

  /** Encrypts a secret. `owner` binds the value to its row: the value cannot be decrypted in another row. */
  seal(secret: string, owner: string): string {
    if (this.#key === undefined) return secret;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return PREFIX + sealed.toString('base64');
  }

  /** Opens an encrypted or plain value. @throws {Error} if it was encrypted with another key or owner */
  open(stored: string, owner: string): string {
    if (!stored.startsWith(PREFIX)) return stored;
    if (this.#key === undefined) throw new Error('The secret is encrypted, but SECRETS_KEY_FILE is not set');
    const sealed = Buffer.from(stored.slice(PREFIX.length), 'base64');
    const decipher = createDecipheriv(ALGORITHM, this.#key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
    return text + decipher.final('utf8');
  }
}
