// Programs with a planted fault preload this module, which applies the fault's patches (`plant.ts`).
import { registerHooks } from 'node:module';

const sources: Record<string, string> = JSON.parse(process.env.PLANTED_SOURCES ?? '{}');

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    return url in sources ? { ...loaded, source: sources[url] } : loaded;
  },
});
