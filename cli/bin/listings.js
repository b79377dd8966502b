#!/usr/bin/env node
// Plain JavaScript: runs the TypeScript sources in a clone, the built files in the published package.
import { existsSync } from 'node:fs';
import module from 'node:module';

const source = new URL('../src/main.ts', import.meta.url);

if (existsSync(source)) {
  // In a clone, the client is loaded from its sources, too.
  const conditions = ['@property-listings/source'];
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, ...conditions] }),
  });
  await import(source.href);
} else {
  await import(new URL('../dist/main.js', import.meta.url).href);
}
