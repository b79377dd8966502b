import { z } from 'zod';
import { isObject } from '../../../lib/merge-patch.ts';
import type { FieldCode } from '../../../model/errors.ts';
import { addIssue, expected } from './fields.ts';

export interface KeyedIssue {
  code: FieldCode;
  message: string;
}

interface KeyedOptions {
  max: number;
  /** Returns the same string for keys with the same meaning; by default, the key itself. */
  identify?: (key: string) => string;
  /** Checks a trimmed key that does not repeat an earlier key, and the key's value. */
  findIssue: (key: string, text: string, earlier: ReadonlyMap<string, string>) => KeyedIssue | undefined;
  description: string;
  example: Record<string, string>;
}

/** A parameter with client-defined keys in brackets, such as `map[COLUMN]`. Its output is a map of strings by key. */
export function keyedTexts({ max, identify = (key) => key, findIssue, ...documentation }: KeyedOptions) {
  return z
    .custom<[key: string, text: string][]>((value) => Array.isArray(value))
    .transform((entries, context) => {
      if (entries.length > max) return addIssue(context, 'too_long', `Must be given at most ${max} times.`);
      const texts = new Map<string, string>();
      const known = new Map<string, string>();
      for (const [given, text] of entries) {
        const key = given.trim();
        const same = known.get(identify(key));
        const issue = same === undefined ? findIssue(key, text, texts) : repeated(same);
        if (issue !== undefined) {
          context.addIssue({ code: 'custom', path: [given], message: issue.message, params: { code: issue.code } });
        }
        known.set(identify(key), key);
        texts.set(key, text);
      }
      return texts;
    })
    .meta({ type: 'object', maxProperties: max, additionalProperties: { type: 'string' }, ...documentation });
}

function repeated(same: string): KeyedIssue {
  return { code: 'duplicate', message: `Is given more than once: ${same}.` };
}

/** Like `keyedTexts`, but for a member of a JSON body. */
export function keyedRecord(texts: ReturnType<typeof keyedTexts>, description: string, example: object) {
  // `z.record` would silently drop a member named `__proto__`.
  return z
    .custom<Record<string, unknown>>(isObject, expected('an object'))
    .transform((record) => new Map(Object.entries(record)))
    .pipe(z.map(z.string(), z.string(expected('a string'))))
    .transform((members, context) => {
      const { data = new Map(), error } = texts.safeParse([...members]);
      for (const { code, path, message, ...rest } of error?.issues ?? []) {
        if (code === 'custom')
          context.addIssue({ code, path, message, ...('params' in rest && { params: rest.params }) });
      }
      return Object.fromEntries<string>(data);
    })
    .meta({ type: 'object', additionalProperties: { type: 'string' }, description, example });
}
