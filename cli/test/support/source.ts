import { registerHooks } from 'node:module';

// The client as source, as `bin/listings.js` has it: for tests of a part of the program.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, '@property-listings/source'] }),
});
