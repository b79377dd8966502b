import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERROR_CODES } from '../../model/errors.ts';
import type { Api } from '../openapi/api.ts';
import { type Apis, errorIndex, errorPage } from '../pages/error-page.ts';
import { HTML_TYPE, replyPage, SCRIPT_POLICY } from '../pages/reply-page.ts';
import type { PublicRoutes } from '../protocol/router.ts';

/** The package has copies of the viewer's files, because the viewer's package reports installations to its maker. */
const PACKED_VIEWER = join(import.meta.dirname, '../../viewer');
const VIEWER = existsSync(PACKED_VIEWER)
  ? PACKED_VIEWER
  : dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const PAGES = join(import.meta.dirname, '../pages');

/** `start.js` finds the API by the page's path. */
const toPage = ({ title, base }: Api) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<nav class="swagger-ui"><p class="wrapper"><a href="/">← Dashboard</a></p></nav>
<div id="swagger-ui"></div>
<noscript>The reference requires JavaScript. The document itself is at ${base}/openapi.json, and all errors are at
<a href="/docs/errors">/docs/errors</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/**
 * The viewer would send the examples of optional parameters with each request, so the examples become part of
 * the descriptions instead. The viewer also treats each type with "json" in its name as JSON, so it would
 * quote NDJSON examples.
 */
const START = `// Uses the color scheme of the dashboard, which has the same origin.
const scheme = localStorage.getItem('mantine-color-scheme-value');
const isDark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.classList.toggle('dark-mode', isDark);
const withoutExample = (name, value) => {
  if (!value?.in || value.required || value.example === undefined) return value;
  const { example, ...rest } = value;
  return { ...rest, description: rest.description + ' Example: \`' + example + '\`.' };
};
const viewer = SwaggerUIBundle({
  url: location.pathname === '/docs/admin' ? '/admin/openapi.json' : '/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.url.endsWith('/openapi.json')) {
      response.text = JSON.stringify(JSON.parse(response.text, withoutExample));
    }
    return response;
  },
  onComplete() {
    const samples = viewer.getSystem().fn.jsonSchema202012;
    const toSample = samples.getJsonSampleSchema;
    samples.getJsonSampleSchema = (schema, config, type, example) =>
      typeof example === 'string' ? example : toSample(schema, config, type, example);
  },
});
`;

const FILES: [name: string, directory: string, type: string][] = [
  ['swagger-ui.css', VIEWER, 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', VIEWER, 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', VIEWER, 'image/png'],
  ['pages.css', PAGES, 'text/css; charset=utf-8'],
];

export function addDocs(routes: PublicRoutes, apis: Apis): void {
  for (const path of ['/docs', '/docs/admin', '/docs/errors']) {
    routes.add('GET', `${path}/`, () => ({ status: 308, headers: { Location: path } }));
  }
  routes.add('GET', '/docs', () => replyPage(toPage(apis.v1), HTML_TYPE, SCRIPT_POLICY));
  routes.add('GET', '/docs/admin', () => replyPage(toPage(apis.admin), HTML_TYPE, SCRIPT_POLICY));
  routes.add('GET', '/docs/start.js', () => replyPage(START, 'text/javascript; charset=utf-8'));
  routes.add('GET', '/docs/errors', () => replyPage(errorIndex(), HTML_TYPE));
  for (const code of ERROR_CODES) {
    routes.add('GET', `/docs/errors/${code}`, () => replyPage(errorPage(code, apis), HTML_TYPE));
  }
  for (const [name, directory, type] of FILES) {
    let content: Buffer | undefined;
    routes.add('GET', `/docs/${name}`, () => {
      content ??= readFileSync(join(directory, name));
      return replyPage(content, type);
    });
  }
}
