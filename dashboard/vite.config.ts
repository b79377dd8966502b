import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** Where `npm run dev` has the service; what is not the dashboard's goes there. */
const SERVICE = process.env.SERVICE_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react()],
  // The client is bundled from its source, without a build of its own.
  resolve: { conditions: ['@property-listings/source', ...defaultClientConditions] },
  // The service replaces this word in every reply (server/src/http/routes/dashboard.ts).
  html: { cspNonce: 'NONCE-OF-THE-REPLY' },
  // Data URLs would need exceptions in the policy.
  build: {
    assetsInlineLimit: 0,
    target: 'es2023',
    chunkSizeWarningLimit: 800,
    // Who passes the build on passes on whose work is in it.
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
