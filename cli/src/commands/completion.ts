import { Argument } from 'commander';
import type { Command } from '../command.ts';
import { complete } from '../completion/complete.ts';
import { SCRIPTS } from '../completion/scripts.ts';
import { write } from '../output/standard-output.ts';

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options, and values')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(Object.keys(SCRIPTS)))
    .details(`
Add the line for your shell to its startup file:
  bash  eval "$(listings completion bash)"     in ~/.bashrc
  zsh   eval "$(listings completion zsh)"      in ~/.zshrc, after compinit
  fish  listings completion fish | source      in ~/.config/fish/config.fish`)
    .action((shell: keyof typeof SCRIPTS) => write(SCRIPTS[shell]));

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      const lines = complete(program, words).map(({ value, description }) => `${value}\t${description}\n`);
      return write(lines.join(''));
    });
}
