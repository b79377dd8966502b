#!/usr/bin/env node
// Plain JavaScript, for the sources of a clone as well as for what is published, which is built.
import { existsSync } from 'node:fs';
import module from 'node:module';

const source = new URL('../src/main.ts', import.meta.url);

if (existsSync(source)) {
  // The client's sources, too.
  const conditions = ['@property-listings/source'];
  module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, ...conditions] }),
  });
  await import(source.href);
} else {
  await import(new URL('../dist/main.js', import.meta.url).href);
}
