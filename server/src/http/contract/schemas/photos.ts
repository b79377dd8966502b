import { z } from 'zod';
import { isObject } from '../../../lib/merge-patch.ts';
import { toNfcWithin } from '../../../lib/nfc.ts';
import { addIssue, expected, findTextIssue, inputObject, text } from './fields.ts';

const PHOTOS_MAX = 100;
const URL_LENGTH_MAX = 2000;
const CAPTION_LENGTH_MAX = 200;

const httpsUrl = z
  .string(expected('a string'))
  .transform((given, context) => {
    const url = toNfcWithin(given.trim(), URL_LENGTH_MAX);
    const issue = findTextIssue(url, URL_LENGTH_MAX, false);
    if (issue !== undefined) return addIssue(context, issue.code, issue.message);
    if (!/^https:\/\//i.test(url) || !URL.canParse(url)) {
      return addIssue(context, 'invalid_format', 'Must be a URL that begins with https://.');
    }
    return url;
  })
  .meta({
    pattern: '^[Hh][Tt][Tt][Pp][Ss]://',
    maxLength: URL_LENGTH_MAX,
    description: 'A URL as browsers accept it: `é` and spaces do not need encoding.',
    example: 'https://example.com/front.jpg',
  });

const photo = z.preprocess(
  withoutNullCaption,
  inputObject('Photo', { url: httpsUrl, caption: text({ lengthMax: CAPTION_LENGTH_MAX, multiline: true }).optional() }),
);

/** Removes a caption that is `null`, because it is treated as not sent. */
function withoutNullCaption(given: unknown): unknown {
  if (!isObject(given) || given.caption !== null) return given;
  const { caption: _, ...rest } = given;
  return rest;
}

const photoList = z
  .array(photo, expected('an array'))
  .refine((list) => list.length <= PHOTOS_MAX, {
    message: `Must have at most ${PHOTOS_MAX} photos.`,
    params: { code: 'too_long' },
    // Also if photos have issues.
    when: ({ value }) => Array.isArray(value),
  })
  .meta({ maxItems: PHOTOS_MAX });

/** The excess photos must be removed anyway; all of them could have issues. */
export const photos = z.preprocess(
  (given) => (Array.isArray(given) ? given.slice(0, PHOTOS_MAX + 1) : given),
  photoList,
);
