/** A target in absolute form (RFC 9112 §3.2.2); captures the authority. */
export const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

interface RequestTarget {
  path: string;
  sentPath: string;
  query: string;
}

/**
 * Splits a request target in origin or absolute form (RFC 9112 §3.2). For other targets, and for paths with dot
 * segments, `\`, or `#`, `path` has no route.
 */
export function parseTarget(target: string): RequestTarget {
  const origin = target.startsWith('/') ? target : target.replace(ABSOLUTE, '');
  const mark = origin.indexOf('?');
  const sentPath = (mark < 0 ? origin : origin.slice(0, mark)) || '/';
  return { path: findNormalPath(sentPath), sentPath, query: mark < 0 ? '' : origin.slice(mark + 1) };
}

/** A path without a route. */
const NOWHERE = '/nowhere';
const UNUSUAL = /[\\#%]|\/\./;

function findNormalPath(path: string): string {
  if (!path.startsWith('/')) return NOWHERE;
  if (!UNUSUAL.test(path)) return path;
  const hasDotSegment = path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
  if (!hasDotSegment && !path.includes('\\') && !path.includes('#')) return path;
  return path.startsWith('/v1/') ? `/v1${NOWHERE}` : NOWHERE;
}
