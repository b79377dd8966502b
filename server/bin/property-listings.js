#!/usr/bin/env node
// Plain JavaScript, so that a Node.js that cannot run the service can still say so.
const NODE_MAJOR_MIN = 26;

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  console.error(
    `property-listings needs Node.js ${NODE_MAJOR_MIN} or newer and this is ${process.versions.node}; ` +
      'in a clone run `npm ci` and start it with npm or npx, which bring their own.',
  );
  process.exitCode = 1;
} else {
  import('../src/main.ts');
}
