import type { DocumentedOperation } from '../../../../testkit/src/openapi.ts';
import type { Ask, KindsOf, Make } from './ask.ts';
import type { BaitKind } from './bait.ts';

/** Members that no schema has. */
const EXTRAS: BaitKind[] = ['accountId', 'listingId', 'keyId', 'memberId'];
/** A file with one row. */
const FILES: [type: string, write: (name: string, value: string) => string][] = [
  ['application/x-ndjson', (name, value) => `{"${name}":"${value}","address":"1","beds":1,"baths":1}\n`],
  ['application/json', (name, value) => `[{"${name}":"${value}","address":"1","beds":1,"baths":1}]`],
  ['text/csv', (name, value) => `${name},address,beds,baths\n${value},1,1,1\n`],
];
/** Examples contain this password; here it must be wrong. */
const EXAMPLE_PASSWORD = 'correct horse battery staple';
const UNTOUCHED = new Set(['password', 'currentPassword', 'newPassword', 'code']);

export function exampleBody({ requestBody }: DocumentedOperation): Pick<Ask, 'headers' | 'body'> {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  return type === undefined ? { headers: {} } : { headers: { 'Content-Type': type }, body: textOf(media?.example) };
}

function textOf(example: unknown): string {
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return text
    .replaceAll(EXAMPLE_PASSWORD, 'a wrong password')
    .replaceAll(/MLS-\d+(\d)/g, '<own>-$1')
    .replaceAll(/\w+(?=@example\.com)/g, '<own>');
}

/** Foreign ids as members of an object and in the rows of a file. */
export function bodyAsks(operation: DocumentedOperation, make: Make, kindsOf: KindsOf, isThorough: boolean): Ask[] {
  if (operation.path === '/imports') return fileAsks(make);
  const own = make('', {}).path.replace('<listingId>', '<ownListingId>');
  return Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, { example }]) => {
    if (typeof example !== 'object' || example === null) return [];
    const send = (place: string, members: object) =>
      make(place, { path: own, headers: { 'Content-Type': type }, body: textOf({ ...example, ...members }) });
    const named = membersOf(operation, example).flatMap((name) =>
      kindsOf(`body.${name}`).map((kind) => send(`member ${name}: ${kind}`, { [name]: `<${kind}>` })),
    );
    const extras = EXTRAS.map((kind): [string, string] => [kind, `<${kind}>`]);
    const each = isThorough ? extras.map(([name, value]) => send(`a member ${name}`, { [name]: value })) : [];
    return [...named, send('members that no schema has', Object.fromEntries(extras)), ...each];
  });
}

/** The example's members, and a listing's external id. */
function membersOf({ path }: DocumentedOperation, example: object): string[] {
  const more = path.startsWith('/listings') ? ['externalId'] : [];
  return [...new Set([...Object.keys(example), ...more])].filter((name) => !UNTOUCHED.has(name));
}

function fileAsks(make: Make): Ask[] {
  const path = make('', {}).path;
  return FILES.flatMap(([type, write]) =>
    ['', '?dryRun=true', '?atomic=true'].flatMap((query) =>
      (['id', 'externalId'] as const).map((name) =>
        make(`${name} of a row of ${type}${query}`, {
          path: path + query,
          headers: { 'Content-Type': type },
          body: write(name, name === 'id' ? '<listingId>' : '<externalId>'),
        }),
      ),
    ),
  );
}
