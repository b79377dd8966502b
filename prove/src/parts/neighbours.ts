import assert from 'node:assert/strict';
import type { Outcome, Part, Trial } from '../part.ts';
import { corpus } from './neighbours/corpus.ts';
import { FIGURES, WORDS } from './neighbours/judgement.ts';
import type { Member } from './neighbours/member.ts';
import { plantedFaults } from './neighbours/planted-faults.ts';
import { besiege, type Siege, type Tried } from './neighbours/siege.ts';
import { SETTINGS } from './neighbours/stage.ts';

/** In the small form: those that cost most where their limit is missing. */
const SMALL = [
  'csv-same-columns',
  'held-atomic-photos',
  'held-long-lines',
  'dry-run-loop',
  'post-unknown-members',
  'sign-in-1-mib',
];
/** Names of members or settings, with blanks between them: only these are tried. */
const { NEIGHBOURS: CHOSEN = '' } = process.env;

/**
 * What attackers do stands in `uploads.ts`, `writes.ts`, `reads.ts` and `visitors.ts`; `attack.ts` does it, from a process of
 * its own, beside `neighbour.ts`, the other account. `gauge.ts` measures the service, and `judgement.ts` says what it may take.
 */
export const neighbours: Part = {
  name: 'neighbours',
  title: 'Neighbours',
  promise: 'Whatever an account sends, or a client without one, the other accounts do not notice.',
  plantedFaults,
  run,
};

async function run(trial: Trial): Promise<Outcome> {
  const sieges: Siege[] = [];
  const isSmall = trial.size === 'small';
  const settings = isSmall ? SETTINGS.slice(0, 1) : SETTINGS.filter((setting) => isChosen(setting, SETTINGS));
  const all = corpus.map(({ name }) => name);
  const planted = plantedFaults.find((each) => each === trial.plantedFault);
  const usual = isSmall && !all.some(isNamed) ? SMALL : all;
  const names = planted === undefined ? usual : [planted.member];
  const members = corpus.filter(({ name }) => names.includes(name) && isChosen(name, names));
  for (const setting of settings) sieges.push(await besiege(trial, setting, members));
  const broken = sieges.flatMap(({ tried }) => tried).filter((each) => each.broken.length > 0);
  const words = broken.map(({ setting, member, broken }) => `${member.name} on ${setting}: ${broken.join(', ')}`);
  assert.ok(broken.length === 0, `${broken.length} attacks are noticed: ${words.join('; ')}`);
  return {
    tried: `${members.length} requests and patterns of attackers with a key, with one that only reads, in the dashboard and without any, each beside the normal load of another account, on ${settings.join(', ')}`,
    figure: `0 requests of the other account failed; ${describeWorst(sieges.flatMap(({ tried }) => tried))}`,
    figures: [
      ...describeCorpus(members),
      ['a figure above its limit', 'is measured three times, and the median counts'],
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

function describeCorpus(members: readonly Member[]): [string, string][] {
  const groups = Map.groupBy(members, ({ by }) => by);
  return [...groups].map(([by, some]) => [
    `${some.length} of ${PRINCIPALS[by]}`,
    some.map(({ name }) => name).join(', '),
  ]);
}

function figuresOf({ setting, quiet, tried }: Siege): [string, string][] {
  return [
    [
      `${setting}: without an attack`,
      `GET p99 ${quiet.readMs.toFixed(0)} ms, create p99 ${quiet.writeMs.toFixed(0)} ms`,
    ],
    [`${setting}: worst`, describeWorst(tried)],
  ];
}

const PRINCIPALS: Record<Member['by'], string> = {
  full: 'a key',
  read: 'a key that only reads',
  session: 'somebody in the dashboard',
  nothing: 'a client without any of these',
};

/** Of each figure the worst, and whose it is. */
function describeWorst(tried: readonly Tried[]): string {
  const worst = FIGURES.map((name) => {
    const [first] = tried.toSorted((left, right) => (right.figures[name] ?? 0) - (left.figures[name] ?? 0));
    return `${WORDS[name]} ${(first?.figures[name] ?? 0).toFixed(name === 'cpuSeconds' ? 2 : 0)} (${first?.member.name})`;
  });
  return worst.join(', ');
}
