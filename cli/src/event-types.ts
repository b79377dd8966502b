import type { ListingEvent } from '@property-listings/client';
import { InvalidArgumentError } from 'commander';
import type { Command } from './command.ts';

type EventType = ListingEvent['type'];

export const EVENT_TYPES: readonly EventType[] = ['listing.created', 'listing.updated', 'listing.deleted'];

/** Adds `--type`. Types are separated by commas or in repeated options; the prefix `listing.` is optional. */
export function withTypeOption(command: Command): Command {
  const option = command.createOption('--type <type>', `only events of these types: ${EVENT_TYPES.join(', ')}`);
  option.argParser(parseTypes).argChoices = [...EVENT_TYPES];
  return command.addOption(option);
}

function parseTypes(text: string, before: EventType[] = []): EventType[] {
  const types = text
    .split(',')
    .map((given) => EVENT_TYPES.find((type) => type.replace(/^listing\./, '') === given.replace(/^listing\./, '')));
  const known = types.filter((type) => type !== undefined);
  if (known.length === types.length) return [...before, ...known];
  throw new InvalidArgumentError(`It must be one or more of: ${EVENT_TYPES.join(', ')}.`);
}
