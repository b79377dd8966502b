/** Whether a value is a JSON object, and not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Applies a merge patch to a JSON value (RFC 7396 §2) and returns the result. If a member is not removable,
 * its `null` stays, so that validation reports it. `within` is the top-level member that contains the member
 * `name`.
 */
export function mergePatch(
  target: unknown,
  patch: unknown,
  isRemovable: (name: string, within?: string) => boolean,
): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && isRemovable(name)) merged.delete(name);
    else
      merged.set(
        name,
        mergePatch(merged.get(name), value, (inner) => isRemovable(inner, name)),
      );
  }
  return Object.fromEntries(merged);
}
