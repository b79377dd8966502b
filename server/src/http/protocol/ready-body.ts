import { compress, type Encoding } from './compression.ts';

/** A body that is ready to send. It is compressed on first use. */
export class ReadyBody {
  readonly bytes: Buffer;
  readonly #compressed = new Map<Encoding, Buffer>();

  constructor(text: string) {
    this.bytes = Buffer.from(text);
  }

  encode(encoding: Encoding | undefined): Buffer {
    if (encoding === undefined) return this.bytes;
    const compressed = this.#compressed.get(encoding) ?? compress(this.bytes, encoding);
    this.#compressed.set(encoding, compressed);
    return compressed;
  }
}
