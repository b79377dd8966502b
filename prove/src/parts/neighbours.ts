import assert from 'node:assert/strict';
import type { Outcome, Part, Trial } from '../part.ts';
import { corpus } from './neighbours/corpus.ts';
import { FIGURES, WORDS } from './neighbours/judgement.ts';
import type { Member } from './neighbours/member.ts';
import { besiege, type Siege, type Tried } from './neighbours/siege.ts';
import { SETTINGS } from './neighbours/stage.ts';

/** The small form tries the attacks that would cost the most without a limit. */
const SMALL =
  'csv-same-columns held-atomic-photos held-long-lines dry-run-loop post-unknown-members sign-in-1-mib'.split(' ');
/** Names of attacks or settings, separated by spaces. If any are given, only these are tried. */
const { NEIGHBOURS: CHOSEN = '' } = process.env;

/**
 * `corpus.ts`, `uploads.ts`, and `visitors.ts` list the attacks. `attack.ts` runs them in its own process
 * while another account uses the service (`neighbour.ts`). `gauge.ts` measures the service, and
 * `judgement.ts` contains the limits.
 */
export const neighbours: Part = {
  name: 'neighbours',
  title: 'Neighbors',
  promise: 'No account, and no client without an account, can slow down or disrupt other accounts.',
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const sieges: Siege[] = [];
  const isSmall = trial.size === 'small';
  const settings = isSmall ? SETTINGS.slice(0, 1) : SETTINGS.filter((setting) => isChosen(setting, SETTINGS));
  const all = corpus.map(({ name }) => name);
  const usual = isSmall && !all.some(isNamed) ? SMALL : all;
  const names = trial.plantedFault?.needs?.split(' ') ?? usual;
  const members = corpus.filter(({ name }) => names.includes(name) && isChosen(name, names));
  for (const setting of settings) sieges.push(await besiege(trial, setting, members));
  const broken = sieges.flatMap(({ tried }) => tried).filter((each) => each.broken.length > 0);
  const words = broken.map(({ setting, member, broken }) => `${member.name} on ${setting}: ${broken.join(', ')}`);
  assert.ok(broken.length === 0, `attacks that affect the other account: ${words.join('; ')}`);
  return {
    tried: `${members.length} attacks with a key, with a read-only key, from the dashboard, and without credentials, each alongside the normal load of another account, on ${settings.join(', ')}`,
    figure: `0 of the other account's requests failed; ${describeWorst(sieges.flatMap(({ tried }) => tried))}`,
    figures: [
      ...Array.from(
        Map.groupBy(members, ({ by }) => by),
        ([by, some]) => [`${some.length} ${PRINCIPALS[by]}`, some.map(({ name }) => name).join(', ')] as const,
      ),
      ['figures above their limit', 'are measured twice more, after all other attacks; the median counts'],
      ['memory growth', 'does not include the threads for searches and files, which start before the attacks'],
      ...sieges.flatMap(figuresOf),
    ],
  };
}

function isChosen(name: string, among: readonly string[]): boolean {
  return isNamed(name) || !among.some(isNamed);
}

function isNamed(name: string): boolean {
  return CHOSEN.split(' ').includes(name);
}

function figuresOf({ setting, quiet, tried }: Siege): [string, string][] {
  const before = `GET p99 ${quiet.readMs.toFixed(0)} ms, create p99 ${quiet.writeMs.toFixed(0)} ms`;
  const again = tried.filter(({ tries }) => tries > 1).map(({ member }) => member.name);
  return [
    [`${setting}: without an attack`, before],
    [`${setting}: measured three times`, again.join(', ') || 'none'],
    [`${setting}: worst`, describeWorst(tried)],
  ];
}

const PRINCIPALS: Record<Member['by'], string> = {
  full: 'with a key',
  read: 'with a read-only key',
  session: 'from the dashboard',
  nothing: 'without credentials',
};

/** Describes the worst value of each figure, with the attack that caused it. */
function describeWorst(tried: readonly Tried[]): string {
  const worst = FIGURES.map((name) => {
    const [first] = tried.toSorted((left, right) => (right.figures[name] ?? 0) - (left.figures[name] ?? 0));
    return `${WORDS[name]} ${(first?.figures[name] ?? 0).toFixed(name === 'cpuSeconds' ? 2 : 0)} (${first?.member.name})`;
  });
  return worst.join(', ');
}
