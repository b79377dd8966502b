import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** The maximum number of lines of an error to show, which is enough for a short diff. */
const LINES_MAX = 12;

/** Reports each failed test with its file and the first lines of its error. */
export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:fail') continue;
    const { name, file, line, details } = data;
    const { failureType, cause, message } = Object(details.error);
    // If tests are nested, report only the innermost one.
    if (failureType === 'subtestsFailed') continue;
    const place = file === undefined ? '' : `${relative(process.cwd(), file)}:${line}  `;
    const lines = String(Object(cause).message ?? message).split('\n', LINES_MAX);
    yield `✖ ${place}${name}\n${lines.map((text) => `    ${text}\n`).join('')}`;
  }
}
