import { settings } from '../../config/env.js';
import { didYouMean, parseCommandLine, usageError } from '../command-line.js';
import type { Io } from '../io.js';

/** What completion needs of a verb. */
interface CompletedVerb {
  readonly does: string;
  load(): Promise<{ readonly help: string }>;
}

const completionHelp = `Usage: toolgate completion bash | zsh | fish

Prints a script that completes verbs and their options:

  bash   toolgate completion bash > ~/.local/share/bash-completion/completions/toolgate
  zsh    toolgate completion zsh > "\${fpath[1]}/_toolgate"
  fish   toolgate completion fish > ~/.config/fish/completions/toolgate.fish
`;

/** The verb `completion`, over the table of verbs that it completes. */
export function completionVerb(verbs: Readonly<Record<string, CompletedVerb>>): {
  readonly help: string;
  run(argv: readonly string[], io: Io): Promise<number>;
} {
  return {
    help: completionHelp,
    async run(argv, io) {
      const parsed = parseCommandLine('completion', argv, {}, io, []);
      if (parsed === undefined) return 2;
      const [shell = '', ...more] = parsed.positionals;
      const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (write === undefined || more.length > 0)
        return usageError('completion', `name bash, zsh or fish${didYouMean(shell, Object.keys(shells))}`, io);
      const entries = await Promise.all(
        Object.entries(verbs).map(async ([name, { does, load }]) => ({
          name,
          does,
          // Options are read from the help pages, so that they cannot disagree with them.
          options: name === 'completion' ? [] : optionsIn((await load()).help),
        })),
      );
      const script = write(entries);
      io.out(parsed.values.json === true ? `${JSON.stringify({ shell, script })}\n` : script);
      return 0;
    },
  };
}

/** A verb with its options. */
interface Entry {
  readonly name: string;
  readonly does: string;
  readonly options: readonly string[];
}

/** Options that take a value. */
const settingOptions = new Set(settings.flatMap(({ flag }) => flag ?? []));

/** The options that a help page names, and those of every verb. */
const optionsIn = (help: string): readonly string[] => [
  ...new Set([...help.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option).concat('--help', '--json', '--config')),
];

/** Quotes a text for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Names of all verbs, separated by spaces. */
const words = (entries: readonly Entry[]): string => entries.map(({ name }) => name).join(' ');

/** Scripts by shell. */
const shells: Readonly<Record<string, (entries: readonly Entry[]) => string>> = {
  bash: (entries) => `_toolgate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then options="${words(entries)} help --version"; else
    case "\${COMP_WORDS[1]}" in
${entries.map(({ name, options }) => `      ${name}) options="${options.join(' ')}" ;;`).join('\n')}
      help) options="${words(entries)}" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$options" -- "$word"))
}
complete -o default -F _toolgate toolgate
`,
  zsh: (entries) => `#compdef toolgate
_toolgate() {
  local -a verbs
  verbs=(${entries.map(({ name, does }) => quote(`${name}:${does}`)).join(' ')})
  if (( CURRENT == 2 )); then _describe verb verbs; return; fi
  case "$words[2]" in
${entries.map(({ name, options }) => `    ${name}) compadd -- ${options.join(' ')} ;;`).join('\n')}
    help) _describe verb verbs ;;
  esac
  _files
}
compdef _toolgate toolgate
`,
  fish: (entries) =>
    `${entries
      .flatMap(({ name, does, options }) => [
        `complete -c toolgate -n __fish_use_subcommand -f -a ${name} -d ${quote(does)}`,
        ...options.map(
          (option) =>
            `complete -c toolgate -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}${settingOptions.has(option) ? ' -r' : ''}`,
        ),
      ])
      .join('\n')}\n`,
};
