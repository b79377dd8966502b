import { crc32 } from 'node:zlib';

/** Checks a list while it arrives. @throws if it is not as expected */
export type ListCheck = { read(chunk: Buffer): void; end(): void };

const ID = Buffer.from('"id":"lst_');
const ID_LENGTH = 'lst_'.length + 26;
const LIST_END = /^\],"nextCursor":null,"sequence":\d+,"epoch":"[^"]+"\}$/;
const LIST_END_LENGTH_MAX = 200;

export function sameBytes(expected: Buffer): ListCheck {
  let read = 0;
  return {
    read(chunk) {
      if (!chunk.equals(expected.subarray(read, read + chunk.length))) {
        throw new Error(`complete list: unexpected bytes after byte ${read}`);
      }
      read += chunk.length;
    },
    end() {
      if (read !== expected.length) throw new Error(`complete list: ${read} bytes instead of ${expected.length}`);
    },
  };
}

/**
 * Creates checks for a list that is read repeatedly and never changes. The first time, `first` examines the list.
 * Later, only a checksum is compared, because slow checks in the driver would distort concurrent measurements.
 */
export function unchangingList(first?: ListCheck): () => ListCheck {
  let expectedSum: number | undefined;
  return () => {
    const whole = expectedSum === undefined ? first : undefined;
    let sum = 0;
    return {
      read(chunk) {
        whole?.read(chunk);
        sum = crc32(chunk, sum);
      },
      end() {
        whole?.end();
        expectedSum ??= sum;
        if (sum !== expectedSum) throw new Error('complete list: the bytes differ from the first time');
      },
    };
  };
}

/** Creates a check, with constant memory use, that expects a complete list, newest first and without repeats. */
export function wholeList(expectedRows: number, onId: (id: string) => void = () => {}): ListCheck {
  let rows = 0;
  let lastId = '~';
  let tail = Buffer.alloc(0);
  let counted = 0;
  return {
    read(chunk) {
      const bytes = Buffer.concat([tail, chunk]);
      let at = bytes.indexOf(ID, counted);
      while (at !== -1 && at + ID.length + ID_LENGTH <= bytes.length) {
        const idAt = at + '"id":"'.length;
        const id = bytes.toString('latin1', idAt, idAt + ID_LENGTH);
        if (id >= lastId) throw new Error(`complete list: wrong order: ${id} follows ${lastId}`);
        lastId = id;
        rows += 1;
        onId(id);
        counted = idAt + ID_LENGTH;
        at = bytes.indexOf(ID, counted);
      }
      const keptFrom = Math.max(0, bytes.length - LIST_END_LENGTH_MAX);
      tail = bytes.subarray(keptFrom);
      counted = Math.max(0, counted - keptFrom);
    },
    end() {
      const text = tail.toString('utf8');
      if (rows !== expectedRows) throw new Error(`complete list: ${rows} listings instead of ${expectedRows}`);
      if (!LIST_END.test(text.slice(text.lastIndexOf('],"nextCursor"')))) {
        throw new Error(`complete list: unexpected end: ${text}`);
      }
    },
  };
}
