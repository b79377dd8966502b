import type { Outcome, Part, Trial } from '../part.ts';
import { tryBodies } from './administrators/bodies.ts';
import { tryPasswords } from './administrators/guesses.ts';
import { tryIdentityRoutes } from './administrators/identity-routes.ts';
import { tryInvitations } from './administrators/invitations.ts';
import { tryLastAdministrator } from './administrators/last-administrator.ts';
import { tryLogins } from './administrators/logins.ts';
import { tryLongTexts } from './administrators/long-texts.ts';
import { tryMemory } from './administrators/memory.ts';
import { readOperations } from './administrators/operations.ts';
import { tryOrigins } from './administrators/origins.ts';
import { tryPages } from './administrators/pages.ts';
import { tryPasswordResets } from './administrators/password-resets.ts';
import { plantedFaults } from './administrators/planted-faults.ts';
import { tryRoles } from './administrators/roles.ts';
import { addStranger, addThings, type Figure, type Scene, startScene } from './administrators/scene.ts';
import { trySecondFactors } from './administrators/second-factors.ts';
import { trySessions } from './administrators/sessions.ts';
import { trySetupLink } from './administrators/setup-link.ts';
import { tryTexts } from './administrators/texts.ts';
import { tryTimes } from './administrators/times.ts';

export const administrators: Part = {
  name: 'administrators',
  title: 'Administrators',
  promise:
    'Nobody gets into the dashboard, or further than their role, by guessing, by another page or by an old link; and nobody is kept out where they are signed in.',
  plantedFaults,
  run: runAdministrators,
};

/** What is tried, in this order: the quiet ones first. */
const TRIES: [what: string, run: (scene: Scene) => Promise<Figure[]>][] = [
  ['how long a refusal takes', tryTimes],
  ['what refusals say', tryTexts],
  ['long texts', tryLongTexts],
  ['passwords', tryPasswords],
  ['second factors', trySecondFactors],
  ['invitations', tryInvitations],
  ['links to a new password', tryPasswordResets],
  ['sessions and cookies', trySessions],
  ['pages and redirects', tryPages],
  ['routes of better-auth', tryIdentityRoutes],
  ['roles', tryRoles],
  ['bodies', tryBodies],
  ['pages elsewhere', tryOrigins],
  ['the last administrator', tryLastAdministrator],
  ['many who sign in at once', tryLogins],
];

async function runAdministrators(trial: Trial): Promise<Outcome> {
  const start = await startScene(trial);
  const { figures, ...first } = await trySetupLink(start);
  const { key } = await first.ada.browser.ask('POST', '/admin/api-keys', { name: 'Reader' }, 201);
  const things = await addThings(first.ada);
  const operations = await readOperations(first.ada.browser);
  const scene: Scene = { ...start, ...first, key, things, operations, mallory: await addStranger(start) };
  // What takes long and is about amounts has no small form.
  const tries = trial.size === 'full' ? [...TRIES, ['memory of the counters', tryMemory] as const] : TRIES;
  for (const [what, run] of tries) {
    trial.say(what);
    figures.push(...(await run(scene)));
  }
  return {
    tried: 'guesses, links, sessions, pages elsewhere, roles and routes, against two workers',
    figure: `0 of ${start.tally.guesses} guesses got in, 0 of ${start.tally.forbidden} requests of pages elsewhere and wrong roles did anything`,
    figures,
  };
}
