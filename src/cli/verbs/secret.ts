import { isSecretName } from '../../lib/text/secret-references.js';
import { loadConfig } from '../../config/load.js';
import { maxSecretBytes, secretStore } from '../../config/secrets/store.js';
import { homeOf } from '../../serve/home.js';
import { didYouMean, failure, parseCommandLine, reportConfigProblems, usageError } from '../command-line.js';
import { auditedAction } from '../admin-audit.js';
import type { Io } from '../io.js';
import { readSecret } from '../secret-input.js';

export const help = `Usage: toolgate secret set <name>      reads the value from a prompt or from stdin
       toolgate secret list [--json]   shows the names, never the values
       toolgate secret remove <name>
     all with [--config file] [--home folder]

Secrets are kept in secrets.json of the state folder (mode 0600). The configuration refers to them as \${secret:NAME}; \${NAME} and
\${env:NAME} refer to a variable, \${file:/path} to a file. A running gateway picks up a changed secret within seconds.

  printf %s "$TOKEN" | toolgate secret set GITHUB_TOKEN
`;

/** Commands of this verb. */
const actions: readonly string[] = ['set', 'list', 'remove'];

/** Sets, lists and removes secrets of the store. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const loaded = await loadConfig({ env: io.env, argv, cwd: process.cwd() });
  // A configuration that lacks the secret which is about to be set must not prevent setting it.
  const usable = loaded.ok ? loaded : loaded.unusable;
  if (usable === undefined) return reportConfigProblems(loaded.ok ? [] : loaded.problems, io);
  const parsed = parseCommandLine('secret', loaded.rest, {}, io);
  if (parsed === undefined) return 2;
  const asJson = parsed.values.json === true;
  const [action = 'list', name, extra] = parsed.positionals;
  if (!actions.includes(action))
    return usageError('secret', `unknown command ${JSON.stringify(action)}${didYouMean(action, actions)}`, io);
  if (extra !== undefined)
    return usageError(
      'secret',
      'the value is read from a prompt or from stdin, never from the command line, which others can see',
      io,
    );
  const home = homeOf(io.env, usable.config.state.directory);
  const store = secretStore(home.folder);
  const recorded = { home, config: usable.config, io };
  if (action === 'list') {
    const names = store.names();
    io.out(asJson ? `${JSON.stringify({ secrets: names })}\n` : names.map((each) => `${each}\n`).join(''));
    if (names.length === 0 && !asJson) io.err('No secrets are stored; toolgate secret set <name> stores one.\n');
    return 0;
  }
  if (name === undefined) return usageError('secret', `${action} needs a name`, io);
  if (!isSecretName(name))
    return usageError(
      'secret',
      'a name has up to 200 letters, digits and _.:/@- and starts with a letter, a digit or _',
      io,
    );
  if (action === 'remove') {
    if (!store.names().includes(name)) {
      return failure('secret', `unknown secret ${name}${didYouMean(name, store.names())}`, io);
    }
    const code = await auditedAction({ ...recorded, action: 'secret_remove', target: name }, () => {
      store.remove(name);
      return Promise.resolve(undefined);
    });
    if (code !== 0) return code;
    io.out(asJson ? `${JSON.stringify({ removed: name })}\n` : `removed    ${name}\n`);
    return 0;
  }
  const value = await readSecret(`Value of ${name}: `, maxSecretBytes, io.signal);
  if ('problem' in value) {
    return failure('secret', value.problem, io);
  }
  const code = await auditedAction({ ...recorded, action: 'secret_set', target: name }, () => {
    store.set(name, value.text);
    return Promise.resolve(undefined);
  });
  if (code !== 0) return code;
  io.out(
    asJson
      ? `${JSON.stringify({ stored: name, file: store.file })}\n`
      : `stored     ${name} in ${store.file}; refer to it as \${secret:${name}}\n`,
  );
  return 0;
}
