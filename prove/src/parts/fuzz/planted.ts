import type { Fault } from '../../part.ts';

/** Is found by comparing both engines. */
export const DIFFERENCE: Fault = {
  name: 'other-engine',
  what: 'on PostgreSQL listings that were found come in another order',
  patches: [{ file: 'server/src/storage/postgres/sql.ts', from: 'ordinality - 1 as', to: '1000 - ordinality as' }],
};

/** What the part must find. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'rare-500',
    what: 'a listing whose address has neither a letter nor a digit is a 500',
    patches: [{ file: 'server/src/model/words.ts', from: '.match(WORD) ?? []', to: '.match(WORD).values().toArray()' }],
  },
  {
    name: 'undocumented-status',
    what: 'events that are no longer there are answered with another status than the documented one',
    patches: [
      {
        file: 'server/src/http/contract/errors/conflicts.ts',
        from: 'events_expired: {\n    status: 410',
        to: 'events_expired: {\n    status: 404',
      },
    ],
  },
  {
    name: 'missing-member',
    what: 'lists with a total have no epoch',
    patches: [
      {
        file: 'server/src/http/contract/formats/list-format.ts',
        from: '{ nextCursor, sequence, epoch, total }).slice(1)',
        to: '{ nextCursor, sequence, total, ...(total === undefined && { epoch }) }).slice(1)',
      },
    ],
  },
  {
    name: 'undocumented-header',
    what: 'a reply to a change has a header that no document knows',
    patches: [
      {
        file: 'server/src/http/routes/listings.ts',
        from: '{ ETag: listingTag(version), ',
        to: "{ 'X-Listing': id, ETag: listingTag(version), ",
      },
    ],
  },
  {
    name: 'deleted-stays',
    what: 'a listing that was never changed is still there when it was deleted',
    patches: [
      {
        file: 'server/src/domain/write-path.ts',
        from: '  await removeListing(session, account.id, current.id);',
        to: '  if (current.version > 1) await removeListing(session, account.id, current.id);',
      },
    ],
  },
  {
    name: 'untrimmed',
    what: 'texts are stored with the blanks around them',
    patches: [
      {
        file: 'server/src/http/contract/schemas/fields.ts',
        from: 'const value = toNfcWithin(given.trim(), lengthMax);',
        to: 'const value = toNfcWithin(given, lengthMax);',
      },
    ],
  },
  {
    name: 'dropped-field',
    what: 'unknown fields of a listing are dropped in silence',
    patches: [
      {
        file: 'server/src/http/contract/schemas/listings.ts',
        from: 'z.strictObject(listingFields,',
        to: 'z.object(listingFields,',
      },
    ],
  },
  {
    name: 'refused-valid',
    what: 'studios, which have no bedroom, are refused',
    patches: [
      {
        file: 'server/src/http/contract/schemas/fields.ts',
        from: 'value < minimum || value > limit()',
        to: 'value <= minimum || value > limit()',
      },
    ],
  },
  {
    name: 'done-again',
    what: 'a retry with its Idempotency-Key is done again',
    patches: [
      {
        file: 'server/src/domain/writing.ts',
        from: 'if (earlier !== undefined) return {',
        to: 'if (earlier !== undefined && earlier.fingerprint.length === 0) return {',
      },
    ],
  },
  {
    name: 'kept-session',
    what: 'a session that was ended goes on',
    patches: [
      {
        file: 'server/src/domain/profile.ts',
        from: 'const existed = await removeSession(session, self.userId, sessionId);',
        to: 'const existed = true;',
      },
    ],
  },
  {
    name: 'unguarded-formula',
    what: 'a text that begins with a quote and a formula goes into a CSV as it is',
    patches: [
      {
        file: 'server/src/http/contract/schemas/listing-csv.ts',
        from: 'return FORMULA.test(value) ?',
        to: 'return FORMULA.test(value) && value[0] !== "\'" ?',
      },
    ],
  },
  {
    name: 'lenient-json',
    what: 'JSON with a member that is given twice is taken',
    patches: [
      {
        file: 'server/src/lib/json.ts',
        from: 'if (this.isKeeping && Object.hasOwn(object, name)) {',
        to: 'if (this.isKeeping && Object.hasOwn(object, name) && object[name] === null) {',
      },
    ],
  },
  DIFFERENCE,
];
