/** A JSON object, without the arrays that JavaScript takes for one. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Applies a merge patch to a JSON value (RFC 7396 §2) and returns the result. At the top a `null` is kept where
 * `isRemovable` says so, for whoever checks the result.
 */
export function mergePatch(
  target: unknown,
  patch: unknown,
  isRemovable: (name: string) => boolean = () => true,
): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && isRemovable(name)) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
