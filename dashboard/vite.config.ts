import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** The service that `npm run dev` started. */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';

const BASE = ['baseline', 'default-css-variables', 'global'];

/**
 * Bundles the styles of the Mantine components that are used, each with its component. They are in a layer, so their
 * order does not matter to our own styles. Of Leaflet, leaves out what is not used.
 */
const usedStyles: Plugin = {
  name: 'used-styles',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('/@mantine/core/styles.layer.css')) {
      return BASE.map((name) => `@import '@mantine/core/styles/${name}.layer.css';`).join('\n');
    }
    // The images of controls and pins that our maps do not have.
    if (id.endsWith('/leaflet/dist/leaflet.css')) return code.replaceAll(/background-image: url\([^)]*\);/g, '');
    const [, component] = /\/@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? [];
    return component && `import '@mantine/core/styles/${component}.layer.css';\n${code}`;
  },
};

export default defineConfig({
  plugins: [react(), usedStyles],
  // Bundles the client from its sources.
  resolve: { conditions: ['@property-listings/source', ...defaultClientConditions] },
  // The service replaces it in every response (server/src/http/routes/dashboard.ts).
  html: { cspNonce: 'NONCE-OF-THE-REPLY' },
  build: {
    // Data URLs would need an exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    target: 'es2023',
    chunkSizeWarningLimit: 800,
    // Licenses require their texts to be distributed with the build.
    license: { fileName: 'licenses.md' },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    watch: { ignored: ['**/dist*/**', '**/screenshots/**', '**/test/**'] },
    proxy: Object.fromEntries(['/admin', '/v1', '/docs'].map((path) => [`${path}`, SERVICE])),
  },
});
