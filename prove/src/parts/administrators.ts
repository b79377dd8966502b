import type { Outcome, Part, Trial } from '../part.ts';
import { tryBodies } from './administrators/bodies.ts';
import { tryPasswords } from './administrators/guesses.ts';
import { tryIdentityRoutes } from './administrators/identity-routes.ts';
import { tryInvitations } from './administrators/invitations.ts';
import { tryLastAdministrator } from './administrators/last-administrator.ts';
import { tryLogins } from './administrators/logins.ts';
import { tryLongTexts, tryMemory } from './administrators/long-texts.ts';
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
    'Guessing, cross-site requests, and old links never give access to the dashboard or a higher role, and never lock out a signed-in user.',
  plantedFaults,
  run: runAdministrators,
};

/** In this order: timing checks need a quiet service, so they come first. */
const TRIES: [what: string, run: (scene: Scene) => Promise<Figure[]>][] = [
  ['how long a rejection takes', tryTimes],
  ['what rejections say', tryTexts],
  ['long texts', tryLongTexts],
  ['passwords', tryPasswords],
  ['second factors', trySecondFactors],
  ['invitations', tryInvitations],
  ['password reset links', tryPasswordResets],
  ['sessions and cookies', trySessions],
  ['pages and redirects', tryPages],
  ['routes of better-auth', tryIdentityRoutes],
  ['roles', tryRoles],
  ['bodies', tryBodies],
  ['cross-site requests', tryOrigins],
  ['the last administrator', tryLastAdministrator],
  ['many sign-ins at once', tryLogins],
];

async function runAdministrators(trial: Trial): Promise<Outcome> {
  const start = await startScene(trial);
  const { figures, ...first } = await trySetupLink(start);
  const { key } = await first.ada.browser.ask('POST', '/admin/api-keys', { name: 'Reader' }, 201);
  const things = await addThings(first.ada);
  const operations = await readOperations(first.ada.browser);
  const scene: Scene = { ...start, ...first, key, things, operations, mallory: await addStranger(start) };
  // Slow and about amounts: no small form.
  const tries = trial.size === 'full' ? [...TRIES, ['memory of the counters', tryMemory] as const] : TRIES;
  for (const [what, run] of tries) {
    trial.say(what);
    figures.push(...(await run(scene)));
  }
  return {
    tried: 'guesses, links, sessions, cross-site requests, roles, and routes, against two workers',
    figure: `0 of ${start.tally.guesses} guesses succeeded, 0 of ${start.tally.forbidden} cross-site and unauthorized requests had an effect`,
    figures,
  };
}
