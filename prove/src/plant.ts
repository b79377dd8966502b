import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Class, type Directive, parseSync, type Statement } from 'oxc-parser';
import type { Patch, PlantedFault } from './part.ts';

const LOADER = import.meta.resolve('./load-planted.ts');

/** Returns the environment variables that plant the fault in a service or a command. */
export function plantedEnvironment(fault: PlantedFault | undefined): Record<string, string> {
  if (fault?.patches === undefined) return {};
  return { NODE_OPTIONS: `--import=${LOADER}`, PLANTED_SOURCES: JSON.stringify(changedSources(fault.patches)) };
}

/** Returns the changed sources of the files that patches affect, by URL. */
export function changedSources(patches: readonly Patch[]): Record<string, string> {
  const sources = new Map<string, string>();
  // Apply a file's last patch first, so that the offsets of the others stay valid.
  for (const { file, start, length, to } of patches.map(locate).toSorted((one, other) => other.start - one.start)) {
    const source = sources.get(file) ?? readFileSync(file, 'utf8');
    sources.set(file, source.slice(0, start) + to + source.slice(start + length));
  }
  return Object.fromEntries([...sources].map(([file, source]) => [pathToFileURL(file).href, source]));
}

function locate([symbol, from, to]: Patch): Pick<Declaration, 'file' | 'start'> & { length: number; to: string } {
  const { file, start, text } = findDeclaration(symbol);
  const [before = '', ...others] = text.split(from);
  if (others.length !== 1)
    throw new Error(
      `${symbol} contains ${JSON.stringify(from)} ${others.length} times: patch a piece that it contains once.`,
    );
  return { file, start: start + before.length, length: from.length, to };
}

const SOURCES = join(import.meta.dirname, '../../server/src');

interface Declaration {
  file: string;
  start: number;
  /** The source of the declaration. */
  text: string;
}

let declarations: Map<string, Declaration[]> | undefined;

/**
 * Finds a top-level declaration in the server's sources, such as `createApp`, or a class member, such as
 * `WriteQueue.#commit`. If several files declare a name, the end of the file's path must precede it, as in
 * `listings:insert`.
 */
function findDeclaration(symbol: string): Declaration {
  declarations ??= readDeclarations();
  const [name = '', path] = symbol.split(':').reverse();
  const named = declarations.get(name) ?? [];
  const found = path === undefined ? named : named.filter(({ file }) => file.endsWith(`/${path}.ts`));
  const [declaration, another] = found;
  if (declaration === undefined) throw new Error(`No file in server/src declares ${symbol}; use its current name.`);
  if (another === undefined) return declaration;
  const choices = found.map(({ file }) => `${relative(SOURCES, file).slice(0, -'.ts'.length)}:${name}`);
  throw new Error(`Several files in server/src declare ${symbol}: write ${choices.join(' or ')}.`);
}

function readDeclarations(): Map<string, Declaration[]> {
  const found = new Map<string, Declaration[]>();
  for (const name of globSync('**/*.ts', { cwd: SOURCES })) {
    const file = join(SOURCES, name);
    const source = readFileSync(file, 'utf8');
    for (const [symbol, { start, end }] of parseSync(file, source).program.body.flatMap(spansOf))
      found.getOrInsert(symbol, []).push({ file, start, text: source.slice(start, end) });
  }
  return found;
}

type Span = [symbol: string, place: { start: number; end: number }];

function spansOf(statement: Statement | Directive): Span[] {
  const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  switch (declared?.type) {
    case 'VariableDeclaration':
      return declared.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [[id.name, statement]] : []));
    case 'FunctionDeclaration':
      return declared.id === null ? [] : [[declared.id.name, statement]];
    case 'ClassDeclaration':
      return declared.id === null ? [] : [[declared.id.name, statement], ...membersOf(declared.id.name, declared)];
    default:
      return [];
  }
}

function membersOf(className: string, { body }: Class): Span[] {
  return body.body.flatMap((member): Span[] => {
    if (!('key' in member)) return [];
    if (member.key.type === 'PrivateIdentifier') return [[`${className}.#${member.key.name}`, member]];
    return member.key.type === 'Identifier' ? [[`${className}.${member.key.name}`, member]] : [];
  });
}
