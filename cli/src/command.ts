import { Command as BaseCommand, Help, Option } from 'commander';
import { EXIT } from './exit-codes.ts';

/** A command, with shorthands for what many commands of this program declare. */
export class Command extends BaseCommand {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Adds an option that accepts only the choices. The help does not list them unless the description does. */
  choice(flags: string, description: string, choices: readonly string[]): this {
    return this.addOption(new Option(flags, description).choices(choices));
  }

  details(text: string): this {
    return this.addHelpText('after', text);
  }

  /** Reports incorrect usage and points to the command's help. */
  usageError(message: string): never {
    return this.error(`error: ${message}`, { exitCode: EXIT.usage });
  }
}

/** Wraps a help text, and indents its lines; of 80 columns, two stay free on each side. */
export function wrap(text: string): string {
  return new Help().boxWrap(text, 76).replaceAll(/^/gm, '  ');
}
