import { InvalidArgumentError, Option } from 'commander';
import type { Command } from './command.ts';
import { toFlag } from './fields.ts';

/**
 * Creates a repeatable option that removes members. It accepts both `list-price` and `listPrice`, and also
 * `map.Price` if `keyed` contains `map`.
 */
export function unsetOption(
  names: readonly string[],
  flags: string,
  description: string,
  keyed: readonly string[] = [],
): Option {
  const parse = (text: string, before: string[] = []): string[] => {
    const isKey = keyed.some((candidate) => text.startsWith(`${candidate}.`));
    const name = isKey ? text : names.find((candidate) => candidate === text || toFlag(candidate) === text);
    if (name === undefined)
      throw new InvalidArgumentError(`Cannot unset "${text}". Choose one of: ${names.map(toFlag).join(', ')}.`);
    return [...before, name];
  };
  const option = new Option(flags, `${description}; repeatable`).argParser(parse);
  option.argChoices = names.map(toFlag);
  return option;
}

/** Creates a merge patch that sets the members in `given` and removes those in `unset`. */
export function toPatch(given: object, unset: readonly string[], example: string, command: Command): object {
  const both = unset.find((name) => name in given);
  if (both !== undefined) command.usageError(`Either set --${toFlag(both)} or unset it, not both.`);
  const patch = new Map<string, unknown>(Object.entries(given));
  for (const name of unset) {
    // A name such as `map.Price` removes the key after the first dot.
    const [outer = '', ...key] = name.split('.');
    if (key.length === 0) patch.set(name, null);
    else patch.set(outer, { ...Object(patch.get(outer)), [key.join('.')]: null });
  }
  if (patch.size === 0) command.usageError(`Specify at least one change, such as ${example}.`);
  return Object.fromEntries(patch);
}
