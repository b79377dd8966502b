import { ApiError, type FieldFault } from '../../api/client';
import type { Listing } from '../../api/types';
import { sayFault } from '../../lib/fault-words';
import { readAmount, readNumber, sayHowToWrite } from '../../lib/numbers';
import { FORM_FIELDS, type FormField } from './form-fields';

/** A row of a list that can grow; the id only tells rows apart. */
export interface PhotoRow {
  id: number;
  url: string;
  caption: string;
}

export interface MetadataRow {
  id: number;
  name: string;
  value: string;
}

/** A listing as it is being written: everything is text until it is sent. */
export interface Draft {
  values: Record<string, string>;
  photos: PhotoRow[];
  metadata: MetadataRow[];
}

type Body = Record<string, unknown>;

let lastRowId = 0;

export function newRowId(): number {
  lastRowId += 1;
  return lastRowId;
}

export function toDraft(listing: Partial<Listing>): Draft {
  const given: Body = listing;
  const entries = FORM_FIELDS.map(({ name }) => [name, given[name] === undefined ? '' : String(given[name])]);
  const { photos = [], metadata = {} } = listing;
  return {
    values: Object.fromEntries(entries),
    photos: photos.map(({ url, caption = '' }) => ({ id: newRowId(), url, caption })),
    metadata: Object.entries(metadata).map(([name, value]) => ({ id: newRowId(), name, value: String(value) })),
  };
}

/** Whether two drafts, or parts of them, say the same: the ids of rows are new in each. */
export function isSameDraft(one: object, other: object): boolean {
  const toText = (part: object) => JSON.stringify(part, (name, value) => (name === 'id' ? undefined : value));
  return toText(one) === toText(other);
}

/** A draft from another time, whose ids may be those of other rows by now. */
export function withNewIds({ values, photos, metadata }: Draft): Draft {
  return {
    values,
    photos: photos.map((row) => ({ ...row, id: newRowId() })),
    metadata: metadata.map((row) => ({ ...row, id: newRowId() })),
  };
}

/** What creates the listing: the fields that were filled in. */
export function toCreation(draft: Draft): Body {
  const body: Body = {};
  for (const { name, kind } of FORM_FIELDS) {
    const text = draft.values[name] ?? '';
    if (text.trim() !== '') body[name] = toValue(kind, text);
  }
  const photos = toPhotos(draft);
  const metadata = toMetadata(draft, {});
  if (photos.length > 0) body.photos = photos;
  if (Object.keys(metadata).length > 0) body.metadata = metadata;
  return body;
}

/** What changes the listing into the draft, as a merge patch: only what differs; `null` removes. */
export function toPatch(draft: Draft, listing: Listing): Body {
  const before = toDraft(listing);
  const patch: Body = {};
  for (const { name, kind } of FORM_FIELDS) {
    const text = draft.values[name] ?? '';
    if (text === before.values[name]) continue;
    patch[name] = text.trim() === '' ? null : toValue(kind, text);
  }
  const photos = toPhotos(draft);
  if (JSON.stringify(photos) !== JSON.stringify(toPhotos(before))) patch.photos = photos.length === 0 ? null : photos;
  const metadata = toMetadataPatch(toMetadata(draft, listing.metadata ?? {}), listing.metadata ?? {});
  if (Object.keys(metadata).length > 0) patch.metadata = metadata;
  return patch;
}

/** What is no number is sent as it was typed: the service refuses it together with whatever else it refuses. */
function toValue(kind: FormField['kind'], text: string): number | string {
  switch (kind) {
    case 'number':
      return readAmount(text) ?? text;
    case 'degrees':
      return readNumber(text) ?? text;
    case 'code':
      return text.trim().toUpperCase();
    default:
      return text;
  }
}

/** What is wrong with a field, and with a number how it can be written. */
export function sayDraftFault({ values }: Draft, fault: FieldFault): string {
  const isNumber = FORM_FIELDS.some(({ name, kind }) => name === fault.field && kind === 'number');
  return isNumber && fault.code === 'invalid_type' ? sayHowToWrite(values[fault.field] ?? '') : sayFault(fault);
}

/** Rows with nothing in them are not sent. */
export function isPhotoGiven({ url, caption }: PhotoRow): boolean {
  return url.trim() !== '' || caption.trim() !== '';
}

function toPhotos({ photos }: Draft): Body[] {
  return photos.filter(isPhotoGiven).map(({ url, caption }) => (caption.trim() === '' ? { url } : { url, caption }));
}

/** A value whose text nobody changed keeps its type. */
function toMetadata({ metadata }: Draft, before: Body): Body {
  const rows = metadata.filter(({ name, value }) => name.trim() !== '' || value !== '');
  requireDifferentNames(metadata);
  return Object.fromEntries(
    rows.map(({ name, value }) => [name.trim(), String(before[name]) === value ? before[name] : value]),
  );
}

/** Two values of one name cannot both be sent. */
function requireDifferentNames(rows: MetadataRow[]): void {
  const names = rows.map(({ name }) => name.trim());
  const again = names.findIndex((name, index) => name !== '' && names.indexOf(name) < index);
  if (again === -1) return;
  const message = 'Another value has this name.';
  const details = [{ field: `metadata[${again}].name`, code: 'duplicate', message }];
  throw new ApiError(422, 'validation_failed', message, { details });
}

function toMetadataPatch(after: Body, before: Body): Body {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries([...gone.map((name) => [name, null]), ...changed]);
}
