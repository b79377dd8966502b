import type { Listing } from '../../api/admin';
import { type Draft, isSameDraft, type MetadataRow, toDraft } from './draft';
import { FORM_FIELDS } from './form-fields';

/** Applies the draft's changes since `base` to `theirs`. */
export function mergeDraft(draft: Draft, base: Listing, theirs: Listing): Draft {
  const before = toDraft(base);
  const after = toDraft(theirs);
  const values = FORM_FIELDS.map(({ name }) => {
    const isMine = draft.values[name] !== before.values[name];
    return [name, (isMine ? draft : after).values[name] ?? ''];
  });
  return {
    values: Object.fromEntries(values),
    photos: isSameDraft(draft.photos, before.photos) ? after.photos : draft.photos,
    metadata: mergeMetadata(draft.metadata, before.metadata, after.metadata),
  };
}

/** Keeps the draft's changes, and adds the other user's changes and new rows. */
function mergeMetadata(mine: MetadataRow[], before: MetadataRow[], theirs: MetadataRow[]): MetadataRow[] {
  const find = (rows: MetadataRow[], { name }: MetadataRow) => rows.find((row) => row.name === name.trim());
  const kept = mine.map((row) => (find(before, row)?.value === row.value ? find(theirs, row) : row));
  const added = theirs.filter((row) => find(mine, row) === undefined && find(before, row) === undefined);
  return [...kept, ...added].filter((row) => row !== undefined);
}

interface Change {
  label: string;
  /** The other user's value; undefined for photos and custom fields. */
  theirs: string | undefined;
  /** Whether the draft also changes this field. */
  isBoth: boolean;
}

export function findChanges(draft: Draft, base: Listing, theirs: Listing): Change[] {
  const before = toDraft(base);
  const after = toDraft(theirs);
  const changes = FORM_FIELDS.filter(({ name }) => after.values[name] !== before.values[name]).map(
    ({ name, label, options }): Change => ({
      label,
      theirs: options?.find(({ value }) => value === after.values[name])?.label ?? after.values[name],
      isBoth: draft.values[name] !== before.values[name],
    }),
  );
  for (const [label, part] of [['Photos', 'photos'] as const, ['Custom fields', 'metadata'] as const]) {
    if (isSameDraft(after[part], before[part])) continue;
    changes.push({ label, theirs: undefined, isBoth: !isSameDraft(draft[part], before[part]) });
  }
  return changes;
}
