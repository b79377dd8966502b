import { registerHooks } from 'node:module';

// Loads the client from its sources, as `bin/listings.js` does, for tests that import parts of the program.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, '@property-listings/source'] }),
});
