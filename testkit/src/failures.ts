import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** A reporter for the end of a long run: a line for each test that failed, with its file and the first line of the error. */
export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:fail') continue;
    const { name, file, line, details } = data;
    const { failureType, cause, message } = Object(details.error);
    // Of a test and those around it, the innermost.
    if (failureType === 'subtestsFailed') continue;
    const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line}  `;
    const [reason = ''] = String(Object(cause).message ?? message).split('\n');
    yield `✖ ${place}${name}\n    ${reason}\n`;
  }
}
