import type { Listing } from '../../api/admin';
import { ApiError, type ValidationIssue } from '../../api/client';
import { describeIssue } from '../../lib/issue-texts';
import { readAmount, readNumber, suggestAmount } from '../../lib/numbers';
import { FORM_FIELDS, type FormField } from './form-fields';

/** A photo in the form. `id` only identifies its row. */
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

/** A listing as the user edits it in the form. Every value is a string until the form is submitted. */
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

/** Compares drafts or parts of them. Row ids are ignored, because they differ in each draft. */
export function isSameDraft(one: object, other: object): boolean {
  const toText = (part: object) => JSON.stringify(part, (name, value) => (name === 'id' ? undefined : value));
  return toText(one) === toText(other);
}

/** Gives the rows of a stored draft new ids, because other rows may use the stored ids. */
export function withNewIds({ values, photos, metadata }: Draft): Draft {
  return {
    values,
    photos: photos.map((row) => ({ ...row, id: newRowId() })),
    metadata: metadata.map((row) => ({ ...row, id: newRowId() })),
  };
}

/** The body of the request that creates the listing. It contains all fields that are not empty. */
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

/** The merge patch that changes `listing` to the draft. */
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

/** Sends invalid numbers as strings, so that the service reports all invalid fields together. */
function toValue(kind: FormField['kind'], text: string): number | string {
  if (kind === 'number') return readAmount(text) ?? text;
  return kind === 'degrees' ? (readNumber(text) ?? text) : text;
}

export function describeDraftIssue({ values }: Draft, issue: ValidationIssue): string {
  const isNumber = FORM_FIELDS.some(({ name, kind }) => name === issue.field && kind === 'number');
  return isNumber && issue.code === 'invalid_type' ? suggestAmount(values[issue.field] ?? '') : describeIssue(issue);
}

/** Whether a row is not empty. Empty rows are not sent. */
export function isPhotoGiven({ url, caption }: PhotoRow): boolean {
  return url.trim() !== '' || caption.trim() !== '';
}

function toPhotos({ photos }: Draft): Body[] {
  return photos.filter(isPhotoGiven).map(({ url, caption }) => (caption.trim() === '' ? { url } : { url, caption }));
}

/** Converts the rows to `metadata`. An unchanged value keeps its type; a changed one becomes a string. */
function toMetadata({ metadata }: Draft, before: Body): Body {
  const rows = metadata.filter(({ name, value }) => name.trim() !== '' || value !== '');
  requireUniqueNames(metadata);
  return Object.fromEntries(
    rows.map(({ name, value }) => [name.trim(), String(before[name]) === value ? before[name] : value]),
  );
}

function requireUniqueNames(rows: MetadataRow[]): void {
  const names = rows.map(({ name }) => name.trim());
  const again = names.findIndex((name, index) => name !== '' && names.indexOf(name) < index);
  if (again === -1) return;
  const message = 'Another custom field has this name.';
  const details = [{ field: `metadata[${again}].name`, code: 'duplicate', message }];
  throw new ApiError(422, 'validation_failed', message, { details });
}

function toMetadataPatch(after: Body, before: Body): Body {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries([...gone.map((name) => [name, null]), ...changed]);
}
