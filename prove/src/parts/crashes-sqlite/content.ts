/** Bytes of a file that grows. What was never written is zero. */
export class Content {
  #bytes: Buffer;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes;
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  copy(): Content {
    return new Content(Buffer.from(this.bytes));
  }

  write(offset: number, data: Buffer): void {
    this.#reserve(offset + data.length);
    data.copy(this.#bytes, offset);
    this.#size = Math.max(this.#size, offset + data.length);
  }

  resize(size: number): void {
    this.#reserve(size);
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.alloc(size * 2);
    this.bytes.copy(larger);
    this.#bytes = larger;
  }
}
