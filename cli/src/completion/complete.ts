import type { Command, Option } from 'commander';

export interface Candidate {
  value: string;
  description: string;
}

/** What can stand in the place of the last word: commands, options, or an option's values. */
export function complete(program: Command, given: readonly string[]): Candidate[] {
  // bash takes `--sort=beds` for three words.
  const words = given.filter((word) => word !== '=');
  const last = given.at(-1) === '=' ? '' : (words.pop() ?? '');
  const { command, waiting } = walk(program, words);
  if (waiting !== undefined) return completeValue(waiting, last, '');
  const [, flag = '', value = ''] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  const option = findOption(command, flag);
  const candidates = option === undefined ? completeWord(command, last) : completeValue(option, value, `${flag}=`);
  return candidates.filter((candidate) => candidate.value.startsWith(last));
}

/** The command that the words lead to, and the option whose value comes next, if it is one's turn. */
function walk(program: Command, words: readonly string[]): { command: Command; waiting: Option | undefined } {
  let command = program;
  let waiting: Option | undefined;
  for (const word of words) {
    if (waiting !== undefined) {
      waiting = undefined;
      continue;
    }
    const option = findOption(command, word);
    if (option?.required) waiting = option;
    command = command.commands.find((candidate) => candidate.name() === word) ?? command;
  }
  return { command, waiting };
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag !== '' && (long === flag || short === flag));
}

function completeWord(command: Command, word: string): Candidate[] {
  if (word.startsWith('-')) {
    const options = command.options.map(({ long, description }) => ({ value: long ?? '', description }));
    return [...options, { value: '--help', description: 'show what can be given' }];
  }
  if (command.commands.length > 0) {
    const commands = command.createHelp().visibleCommands(command);
    return commands.map((candidate) => ({ value: candidate.name(), description: candidate.description() }));
  }
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return choices.map((value) => ({ value, description: '' }));
}

/** Of several values with commas between, the last one. */
function completeValue({ argChoices = [] }: Option, typed: string, prefix: string): Candidate[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  return argChoices
    .map((choice) => ({ value: prefix + before + choice, description: '' }))
    .filter(({ value }) => value.startsWith(prefix + typed));
}
