import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reply } from '../reply.ts';
import type { Routes } from '../routes.ts';

const VIEWER = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
/** Everything comes from this machine, and nothing runs that does not stand in a file of its own. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Property listings API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>The reference needs JavaScript; the document itself is at /v1/openapi.json.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const FILES: [name: string, type: string][] = [
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
];

/** `/docs`: the interactive API reference. */
export function addDocs(routes: Routes): void {
  routes.add('GET', '/', () => ({ status: 302, headers: { Location: '/docs' } }));
  routes.add('GET', '/docs/', () => ({ status: 308, headers: { Location: '/docs' } }));
  routes.add('GET', '/docs', () => replyFile(PAGE, 'text/html; charset=utf-8'));
  routes.add('GET', '/docs/start.js', () => replyFile(START, 'text/javascript; charset=utf-8'));
  for (const [name, type] of FILES) {
    let content: Buffer | undefined;
    routes.add('GET', `/docs/${name}`, () => {
      content ??= readFileSync(join(VIEWER, name));
      return replyFile(content, type);
    });
  }
}

function replyFile(body: string | Buffer, type: string): Reply {
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 200, headers, body };
}
