import { registerHooks } from 'node:module';

// Loads the client from its sources, as `bin/listings.js` does. Tests that import parts of the CLI need it.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, '@property-listings/source'] }),
});
