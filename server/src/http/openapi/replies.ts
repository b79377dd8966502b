import { isDeepStrictEqual } from 'node:util';
import type { AppError, ErrorCode } from '../../model/errors.ts';
import { ERRORS } from '../contract/errors.ts';
import { JSON_TYPE } from '../contract/media-types.ts';
import type { AnyOperation, OperationMedia, OperationReply } from '../contract/operation.ts';
import { IDEMPOTENCY_KEY } from '../contract/request-headers.ts';
import { errorReply } from '../contract/schemas/errors.ts';
import type { Api } from './api.ts';
import { type Components, describeSchema, refer } from './components.ts';
import { bodyOf, exampleError } from './error-examples.ts';
import { describeHeaders, ownHeader } from './reply-headers.ts';

/** The successful responses of an operation. */
export function describeReplies(operation: AnyOperation, api: Api, components: Components): Record<string, object> {
  const { requestHeaders = [] } = operation;
  const replayed = requestHeaders.includes(IDEMPOTENCY_KEY) ? ['Idempotent-Replayed'] : [];
  const names = [...replayed, ...api.replyHeaders];
  return Object.fromEntries(operation.replies.map((reply) => [reply.status, describeReply(reply, names, components)]));
}

function describeReply(reply: OperationReply, names: string[], components: Components): object {
  const { description, schema, example, headers = {}, media = {} } = reply;
  const own = Object.entries(headers).map(([name, text]) => [name, ownHeader(text)]);
  return {
    description,
    headers: { ...Object.fromEntries(own), ...describeHeaders(names, components) },
    ...(schema && { content: describeContent({ [JSON_TYPE]: { schema, example }, ...media }, components) }),
  };
}

function describeContent(media: Record<string, OperationMedia>, components: Components): object {
  const described = Object.entries(media).map(([type, { schema, example }]) => [
    type,
    { schema: describeSchema(schema, components), example },
  ]);
  return Object.fromEntries(described);
}

/** One error response for each status, with an example of each code. */
export function describeErrors(operation: AnyOperation, api: Api, components: Components): Record<string, object> {
  const byStatus = Object.groupBy(new Set(api.errorsOf(operation)), (code) => ERRORS[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, sharing = []]) => {
      const errors = sharing.map((code) => exampleError(code, api, operation));
      return [status, describeError(errors, api, components)];
    }),
  );
}

/** Errors that occur before a key is accepted; their responses do not have rate-limit headers. */
const BEFORE_CALLER: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'headers_too_large']);

/** Responses and examples that operations share become components. */
function describeError(errors: AppError[], api: Api, components: Components): object {
  const names = errors.flatMap(({ code, headers }) => {
    const ofCode = api.errorExamples[code] === undefined ? ERRORS[code].headers : {};
    return Object.keys({ ...ofCode, ...headers });
  });
  const isEarly = errors.some(({ code }) => BEFORE_CALLER.has(code));
  const always = api.replyHeaders.filter((name) => !(isEarly && name.startsWith('RateLimit')));
  const examples = errors.map((error) => [error.code, describeExample(error, api, components)]);
  const described = {
    description: errors.map(({ code }) => `[\`${code}\`](/docs/errors/${code}): ${ERRORS[code].title}.`).join('\n\n'),
    headers: { ...describeHeaders([...names, ...always], components), Link: HELP },
    content: {
      [JSON_TYPE]: { schema: describeSchema(errorReply, components), examples: Object.fromEntries(examples) },
    },
  };
  if (!errors.every((error) => isShared(error, api))) return described;
  return refer(components, 'responses', errors.map(({ code }) => code).join('.'), described);
}

function describeExample(error: AppError, api: Api, components: Components): object {
  const example = { summary: ERRORS[error.code].title, value: bodyOf(error) };
  return isShared(error, api) ? refer(components, 'examples', error.code, example) : example;
}

/** Whether the error is the same for all operations. */
function isShared(error: AppError, api: Api): boolean {
  return isDeepStrictEqual(bodyOf(error), bodyOf(exampleError(error.code, api)));
}

const HELP = ownHeader('The page about the error (`rel="help"`).');
