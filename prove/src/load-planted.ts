// Preloaded by programs with a planted fault (`plant.ts`), whose patches it applies.
import { registerHooks } from 'node:module';

const sources: Record<string, string> = JSON.parse(process.env.PLANTED_SOURCES ?? '{}');

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return url in sources ? { ...loaded, source: sources[url] } : loaded;
  },
});
