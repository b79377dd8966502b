import type { Target } from './streams.ts';

/** Whoever can be asked, with a key and without one. */
export function targetsOf(key: string): Target[] {
  const keyLine = `Authorization: Bearer ${key}\r\n`;
  const nobody = { keyLine, lines: '' };
  const somebody = { keyLine, lines: keyLine };
  const at = (path: string, getStatus: number, postStatus: number) => ({
    get: { path, status: getStatus },
    post: { path, status: postStatus },
  });
  return [
    { name: '/v1 with a key', ...somebody, get: at('/v1/me', 200, 405).get, post: at('/v1/listings', 200, 201).post },
    { name: '/v1 without a key', ...nobody, ...at('/v1/listings', 401, 401) },
    { name: '/admin without a session', ...nobody, ...at('/admin/listings', 401, 403) },
    { name: '/admin with a key', ...somebody, ...at('/admin/listings', 401, 403) },
    { name: 'the dashboard', ...nobody, ...at('/', 200, 405) },
    { name: '/livez', ...nobody, ...at('/livez', 200, 405) },
  ];
}
