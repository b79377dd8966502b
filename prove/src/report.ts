import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCommit, describeMachine } from '../../bench/src/machine.ts';
import type { Outcome, Part, PlantedFault } from './part.ts';
import { isFound, type Verdict } from './trial.ts';

export interface Result {
  part: Part;
  verdict: Verdict;
  faults: { fault: PlantedFault; verdict: Verdict }[];
  /** The promise was kept, and each planted fault was found. */
  isKept: boolean;
}

const REPOSITORY = join(import.meta.dirname, '../..');
const README = join(REPOSITORY, 'README.md');
const REPORT = join(REPOSITORY, 'docs/proof.md');
/** Matches the table of promises in the README. */
const PLACE = /(?<=<!-- proof -->\n)(?:.*\n)*?(?=<!-- \/proof -->)/;
const SECONDS_PER_MINUTE = 60;

export function writeReport(results: readonly Result[], { date, seed }: { date: Date; seed: number }): void {
  const { cpu, cores, memoryGb, node, os } = describeMachine();
  const minutes = Math.round((Date.now() - date.getTime()) / 1_000 / SECONDS_PER_MINUTE);
  const failed = results.filter(({ isKept }) => !isKept);
  const report = [
    '# Proof',
    'How `npm run prove` tries to break the promises of this service, with the results of the last run, which wrote this page.',
    [
      `- ${date.toISOString().slice(0, 10)}, commit ${describeCommit(REPOSITORY)}, seed ${seed}, ${minutes} minutes`,
      `- ${cpu}, ${cores} cores for all of it, ${memoryGb} GB, ${os}, Node.js ${node}`,
      `- ${failed.length === 0 ? 'Every promise was kept, and every planted fault was found.' : `**Not proven: ${failed.map(({ part }) => part.title).join(', ')}**`}`,
    ].join('\n'),
    formatTable(summarize(results)),
    ...results.map((result, index) => formatPart(result, index + 1)),
  ].join('\n\n');
  writeFileSync(REPORT, `${report}\n`);
  const readme = readFileSync(README, 'utf8');
  writeFileSync(
    README,
    readme.replace(
      PLACE,
      () => `${formatTable(summarize(results).map(([promise = '', , result = '']) => [promise, result]))}\n`,
    ),
  );
}

function summarize(results: readonly Result[]): string[][] {
  const rows = results.map(({ part, verdict, faults, isKept }) => {
    const [tried, figure] = verdict.is === 'kept' ? describe(verdict.outcome) : ['', verdict.is];
    const found = faults.filter((each) => isFound(each.fault, each.verdict)).length;
    return [part.promise, tried, isKept ? figure : `**NOT PROVEN** ${figure}`, `${found} of ${faults.length}`];
  });
  return [['promise', 'how it was tried', 'result', 'planted faults found'], ...rows];
}

function describe({ tried, figure, skipped = [] }: Outcome): [tried: string, figure: string] {
  return [skipped.length === 0 ? tried : `${tried} (in part on this machine: see below)`, figure];
}

export function formatPart({ part, verdict, faults, isKept }: Result, number: number): string {
  const told = verdict.is === 'kept' ? verdict.outcome : undefined;
  const found = faults.map(({ fault, verdict }) => [fault.what, describeFinding(fault, verdict)]);
  return [
    `## ${number}. ${part.title}`,
    `${part.promise} ${isKept ? '' : '**NOT PROVEN.**'}`.trimEnd(),
    told === undefined
      ? `${verdict.is}: ${'words' in verdict ? verdict.words : ''}`
      : `Tried: ${told.tried}. ${told.figure}.`,
    formatTable([['figure', ''], ...(told?.figures ?? []), ['seconds', verdict.seconds.toFixed(0)]]),
    ...(told?.skipped ?? []).map((words) => `Not tried on this machine: ${words}`),
    formatTable([['planted fault', 'found by'], ...found]),
  ].join('\n\n');
}

function describeFinding(fault: PlantedFault, verdict: Verdict): string {
  if (verdict.is === 'kept') return '**NOT FOUND**';
  const words = shorten(verdict.words);
  if (isFound(fault, verdict)) return words;
  return verdict.is === 'broken' ? `**NOT FOUND**, found by another check: ${words}` : `**NOT TRIED**: ${words}`;
}

function formatTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

const WORDS_MAX = 200;

/** The message of a check, without compared values and local paths. */
function shorten(words: string): string {
  const [first = ''] = words.split('\n', 1);
  const line = (first.startsWith('Expected ') ? words : first)
    .replaceAll(`${tmpdir()}/`, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= WORDS_MAX ? line : `${line.slice(0, WORDS_MAX)}…`;
}
