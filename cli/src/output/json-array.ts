import { toJson } from './terminal.ts';

/** The values as one JSON array, one value a line. */
export async function* toJsonArray(values: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const value of values) {
    yield before + toJson(value);
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
