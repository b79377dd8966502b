import { OpenApiDocument } from '../../../testkit/src/openapi.ts';
import type { Outcome, Part, Trial } from '../part.ts';
import { tryPasswords, trySecondFactors } from './administrators/guesses.ts';
import { tryIdentityRoutes, tryPasswordResets } from './administrators/identity-routes.ts';
import { tryInvitations, trySetupLink } from './administrators/links.ts';
import { tryOrigins, tryPages } from './administrators/origins.ts';
import { tryTexts, tryTimes } from './administrators/rejections.ts';
import { tryBodies, tryLastAdministrator, tryRoles } from './administrators/roles.ts';
import { addStranger, addThings, type Figure, type Scene, startScene } from './administrators/scene.ts';
import { trySessions } from './administrators/sessions.ts';
import { tryLogins, tryLongTexts, tryMemory } from './administrators/sign-ins.ts';

export const administrators: Part = {
  name: 'administrators',
  title: 'Administrators',
  promise:
    'Guessing, cross-site requests, and old links never give access to the dashboard or a higher role, and never lock out a signed-in user.',
  run: runAdministrators,
};

/** The checks, in the order in which they run. The timing check is first: it needs a service without other load. */
const TRIES: [what: string, run: (scene: Scene) => Promise<Figure[]>][] = [
  ['how long a rejection takes', tryTimes],
  ['what rejections say', tryTexts],
  ['long strings', tryLongTexts],
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
  const { operations } = new OpenApiDocument((await first.ada.browser.get('GET', '/admin/openapi.json')).text);
  const scene: Scene = { ...start, ...first, key, things, operations, mallory: await addStranger(start) };
  // The check of the counters' memory needs too many requests for the small form.
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
