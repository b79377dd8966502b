import type { Command, Option } from 'commander';

interface Candidate {
  value: string;
  description: string;
}

/** Completes the last word: a command, an argument, an option, or a value of an option. */
export function complete(program: Command, given: readonly string[]): Candidate[] {
  // bash splits `--sort=beds` into three words.
  const words = given.filter((word) => word !== '=');
  const last = given.at(-1) === '=' ? '' : (words.pop() ?? '');
  const { command, waiting } = walk(program, words);
  if (waiting !== undefined) return completeValue(waiting, last, '');
  const [, flag = '', value = ''] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  const option = findOption(command, flag);
  const candidates = option === undefined ? completeWord(command, last) : completeValue(option, value, `${flag}=`);
  return candidates.filter((candidate) => candidate.value.startsWith(last));
}

/** Finds the command that the words select, and the option whose value comes next, if any. */
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
    return [...options, { value: '--help', description: 'show help' }];
  }
  if (command.commands.length > 0) {
    const commands = command.createHelp().visibleCommands(command);
    return commands.map((candidate) => ({ value: candidate.name(), description: candidate.description() }));
  }
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  return choices.map((value) => ({ value, description: '' }));
}

/** Completes the last of several values separated by commas. */
function completeValue({ argChoices = [] }: Option, typed: string, prefix: string): Candidate[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  return argChoices
    .map((choice) => ({ value: prefix + before + choice, description: '' }))
    .filter(({ value }) => value.startsWith(prefix + typed));
}
