import { type Command, InvalidArgumentError, Option } from 'commander';
import { usageError } from './exit-codes.ts';
import { toFlag } from './fields.ts';

/** A repeatable option that removes members; accepts both `list-price` and `listPrice`. */
export function unsetOption<Name extends string>(names: readonly Name[], flags: string, description: string): Option {
  const parse = (text: string, before: Name[] = []): Name[] => {
    const name = names.find((candidate) => candidate === text || toFlag(candidate) === text);
    if (name === undefined) throw new InvalidArgumentError(`Cannot unset "${text}".`);
    return [...before, name];
  };
  const option = new Option(flags, `${description}; repeatable`).argParser(parse);
  option.argChoices = names.map(toFlag);
  return option;
}

/** A merge patch that sets the given members and removes others. */
export function toPatch(given: object, unset: readonly string[], example: string, command: Command): object {
  const both = unset.find((name) => name in given);
  if (both !== undefined) usageError(command, `Either set --${toFlag(both)} or unset it, not both.`);
  const patch = { ...given, ...Object.fromEntries(unset.map((name) => [name, null])) };
  if (Object.keys(patch).length === 0) usageError(command, `Specify at least one change, such as ${example}.`);
  return patch;
}
