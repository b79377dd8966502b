import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCommit, describeMachine } from '../../bench/src/machine.ts';
import { REPOSITORY } from '../../testkit/src/process.ts';
import type { Outcome, Part, PlantedFault } from './part.ts';
import { isFound, type Verdict } from './trial.ts';

export interface Result {
  part: Part;
  verdict: Verdict;
  faults: { fault: PlantedFault; verdict: Verdict }[];
  /** Whether the promise was kept and each planted fault was found. */
  isKept: boolean;
}

const README = join(REPOSITORY, 'README.md');
const REPORT = join(REPOSITORY, 'docs/proof.md');
/** Matches the table of promises in the README. */
const PLACE = /(?<=<!-- proof -->\n)(?:.*\n)*?(?=<!-- \/proof -->)/;
const INTRODUCTION =
  'How `npm run prove` tries to break the promises of this service, with the results of the last run of each part. The command writes this page.';

export interface Run {
  date: Date;
  seed: number;
}

/** Writes these results to the report and the README, and keeps the earlier results of other parts. */
export function writeReport(parts: readonly Part[], results: readonly Result[], run: Run): void {
  const { report, promises } = formatReport(readFileSync(REPORT, 'utf8'), parts, results, run);
  writeFileSync(REPORT, report);
  const readme = readFileSync(README, 'utf8').replace(PLACE, () => promises);
  writeFileSync(README, readme);
}

/** Formats the report with these results, and the table that the README contains. */
export function formatReport(before: string, parts: readonly Part[], results: readonly Result[], run: Run) {
  const earlier = readEntries(before);
  const entries = parts.map((part, index) => {
    const result = results.find((each) => each.part === part);
    if (result === undefined) return earlier.get(part.title);
    return { row: formatRow(summarize(result)), section: formatPart(result, index + 1, run) };
  });
  const rows = entries.flatMap((entry) => entry?.row ?? []);
  const report = [
    '# Proof',
    INTRODUCTION,
    [formatTable([['promise', 'how it was tried', 'result', 'planted faults found']]), ...rows].join('\n'),
    ...entries.flatMap((entry) => entry?.section ?? []),
  ].join('\n\n');
  const untried = parts
    .filter((_, index) => entries[index] === undefined)
    .map(({ title, name }) => `\nNo results yet: ${title} (\`npm run prove -- ${name}\`).\n`);
  const promises = [formatTable([['promise', 'result']]), ...rows.map(shortenRow)].join('\n');
  return { report: `${report}\n`, promises: `${promises}\n${untried.join('')}` };
}

/** Reads the row in the first table, and the section, of each part in a report, by the titles of the parts. */
function readEntries(report: string) {
  const [head = '', ...sections] = report.trimEnd().split(/\n\n(?=## \d+\. )/);
  const rows = head.split('\n').filter((line) => line.startsWith('| '));
  const entries = sections.map((section) => {
    const [, title = '', promise = ''] = /^## \d+\. (.*)\n\n(.*?)( \*\*NOT PROVEN\.\*\*)?\n/.exec(section) ?? [];
    return [title, { row: rows.find((row) => row.startsWith(`| ${promise} | `)) ?? '', section }] as const;
  });
  return new Map(entries);
}

/** Reduces a row to its promise and its result. */
function shortenRow(row: string): string {
  const [promise = '', , result = ''] = row.slice(2, -2).split(' | ');
  return formatRow([promise, result]);
}

function summarize({ part, verdict, faults, isKept }: Result): string[] {
  const [tried, figure] = verdict.is === 'kept' ? describe(verdict.outcome) : ['', verdict.is];
  const found = faults.filter((each) => isFound(each.fault, each.verdict)).length;
  return [part.promise, tried, isKept ? figure : `**NOT PROVEN** ${figure}`, `${found} of ${faults.length}`];
}

function describe({ tried, figure, skipped = [] }: Outcome): [tried: string, figure: string] {
  return [skipped.length === 0 ? tried : `${tried} (only partly on this machine; see below)`, figure];
}

export function formatPart({ part, verdict, faults, isKept }: Result, number: number, run: Run): string {
  const told = verdict.is === 'kept' ? verdict.outcome : undefined;
  const found = faults.map(({ fault, verdict }) => [fault.what, describeFinding(fault, verdict)]);
  return [
    `## ${number}. ${part.title}`,
    `${part.promise} ${isKept ? '' : '**NOT PROVEN.**'}`.trimEnd(),
    describeRun(run),
    told === undefined
      ? `${verdict.is}: ${'words' in verdict ? verdict.words : ''}`
      : `Tried: ${told.tried}. ${told.figure}.`,
    formatTable([['figure', ''], ...(told?.figures ?? []), ['seconds', verdict.seconds.toFixed(0)]]),
    ...(told?.skipped ?? []).map((words) => `Not tried on this machine: ${words}`),
    formatTable([['planted fault', 'found by'], ...found]),
  ].join('\n\n');
}

function describeRun({ date, seed }: Run): string {
  const { cpu, cores, memoryGb, node, os } = describeMachine();
  const machine = `${cpu}, ${cores} cores in total, ${memoryGb} GB, ${os}, Node.js ${node}`;
  return `Run on ${date.toISOString().slice(0, 10)} at commit ${describeCommit(REPOSITORY)} with seed ${seed}: ${machine}.`;
}

function describeFinding(fault: PlantedFault, verdict: Verdict): string {
  if (verdict.is === 'kept') return '**NOT FOUND**';
  const words = shorten(verdict.words);
  if (isFound(fault, verdict)) return words;
  return verdict.is === 'broken' ? `**NOT FOUND**, found by another check: ${words}` : `**NOT TRIED**: ${words}`;
}

function formatTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(formatRow).join('\n');
}

function formatRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const WORDS_MAX = 200;

/** Shortens a message to one line without local paths. Values are removed, unless the message is the default one. */
function shorten(words: string): string {
  const [first = ''] = words.split('\n', 1);
  const line = (first.startsWith('Expected ') ? words : first)
    .replaceAll(`${tmpdir()}/`, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= WORDS_MAX ? line : `${line.slice(0, WORDS_MAX)}…`;
}
