import { crc32 } from 'node:zlib';

/** Looks at a list as it comes, and throws when it is not the expected one. */
export type ListCheck = { read(chunk: Buffer): void; end(): void };

const ID = Buffer.from('"id":"lst_');
const ID_LENGTH = 'lst_'.length + 26;
const LIST_END = /^\],"nextCursor":null,"sequence":\d+,"epoch":"[^"]+"\}$/;
const LIST_END_LENGTH_MAX = 200;

/** Expects the very same bytes as were recorded. */
export function sameBytes(expected: Buffer): ListCheck {
  let read = 0;
  return {
    read(chunk) {
      if (!chunk.equals(expected.subarray(read, read + chunk.length))) {
        throw new Error(`complete list: other bytes than expected after byte ${read}`);
      }
      read += chunk.length;
    },
    end() {
      if (read !== expected.length) throw new Error(`complete list: ${read} bytes instead of ${expected.length}`);
    },
  };
}

/**
 * Makes the checks of a list that is read again and again and does not change: the first time each listing is looked at,
 * then only a checksum. To look at each takes so long that whatever else is measured meanwhile would wait for the driver.
 */
export function unchangingList(expectedRows: number): () => ListCheck {
  let expectedSum: number | undefined;
  return () => {
    const whole = expectedSum === undefined ? wholeList(expectedRows) : undefined;
    let sum = 0;
    return {
      read(chunk) {
        whole?.read(chunk);
        sum = crc32(chunk, sum);
      },
      end() {
        whole?.end();
        expectedSum ??= sum;
        if (sum !== expectedSum) throw new Error('complete list: other bytes than the first time');
      },
    };
  };
}

/** Expects a whole list of so many listings, newest first, none twice. It remembers one id and the last few bytes. */
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
        if (id >= lastId) throw new Error(`complete list: ${id} comes after ${lastId}`);
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
        throw new Error(`complete list: it does not end as it should: ${text}`);
      }
    },
  };
}
