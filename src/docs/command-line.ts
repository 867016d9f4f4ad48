import { cliVerbs, exitsOf } from '../cli/verb-table.js';
import { markdownTable } from './markdown.js';

/** `docs/command-line.md`: verbs, exit codes and what all verbs share. */
export function commandLinePage(): string {
  const verbs = Object.entries(cliVerbs);
  return `# Command line

\`toolgate help <verb>\` shows the options of a verb; \`toolgate completion bash|zsh|fish\` prints a completion script.

${markdownTable(
  ['Verb', 'What it does'],
  verbs.map(([name, { does }]) => [`\`${name}\``, does]),
)}

## What all verbs share

- **Configuration**: \`--config\`, then \`toolgate.yaml\` in the working directory, then the user's file
  (\`$XDG_CONFIG_HOME/toolgate/toolgate.yaml\`). State folder: \`--home\`, \`TOOLGATE_HOME\`, \`state.directory\`, else \`~/.toolgate\`.
- **The running gate**: \`tools\`, \`call\`, \`sources\`, \`explain\`, \`approvals\`, \`audit --follow\`, \`logs\`, \`restart\`, \`enable\`, \`disable\`,
  \`status\` and \`stop\` use the running gate of the configuration and name it on stderr. \`--alone\` starts the sources in the
  process instead, as happens when no gate runs.
- **Errors** are one line on stderr; wrong use points to the help page and suggests the nearest word.
- **\`--json\`** prints JSON on stdout. An error is then one line on stdout as well:
  \`{"error":{"message":"…","help":"toolgate tools --help"},"exit_code":2}\`; problems of the configuration are listed in
  \`error.problems\`.
- **Terminals**: \`NO_COLOR\` and \`TERM=dumb\` switch colours off; lists are cut at the width of the terminal and whole elsewhere. Logs
  are text on a terminal and JSON elsewhere (\`log.format\`).

## Exit codes

${markdownTable(
  ['Verb', '0', '1', '2', '3', '130'],
  verbs.map(([name, entry]) => {
    const exits = new Map(exitsOf(entry));
    return [`\`${name}\``, ...['0', '1', '2', '3', '130'].map((code) => exits.get(code) ?? '–')];
  }),
)}
`;
}
