import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** The service that `npm run dev` started. */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react()],
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
