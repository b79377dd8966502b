import type { Target } from './streams.ts';

export function targetsOf(key: string): Target[] {
  const keyLine = `Authorization: Bearer ${key}\r\n`;
  const without = { keyLine, lines: '' };
  const withKey = { keyLine, lines: keyLine };
  const at = (path: string, getStatus: number, postStatus: number) => ({
    get: { path, status: getStatus },
    post: { path, status: postStatus },
  });
  return [
    { name: '/v1 with a key', ...withKey, get: at('/v1/me', 200, 405).get, post: at('/v1/listings', 200, 201).post },
    { name: '/v1 without a key', ...without, ...at('/v1/listings', 401, 401) },
    { name: '/admin without a session', ...without, ...at('/admin/listings', 401, 403) },
    { name: '/admin with a key', ...withKey, ...at('/admin/listings', 401, 403) },
    { name: 'the dashboard', ...without, ...at('/', 200, 405) },
    { name: '/livez', ...without, ...at('/livez', 200, 405) },
  ];
}
