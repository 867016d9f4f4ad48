import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { clients } from './connect/clients.js';
import type { Reach } from './connect/clients.js';
import { backupOf, planChange, undoChange, applyChange } from './connect/edit.js';
import { didYouMean, parseCommandLine, usageError } from './command-line.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate connect <assistant> [--write | --undo] [options]
       toolgate connect --print [options]

Shows the entry an assistant needs to use this gateway; changes nothing without --write.

${Object.entries(clients)
  .map(([name, { does }]) => `  ${name.padEnd(16)} ${does}`)
  .join('\n')}

  --write          write the entry; the original file is kept as <file>.before-toolgate
  --undo           remove the entry again
  --print          print an entry for any other assistant
  --http           connect to a running gateway instead of starting one; the assistant reads the token from
                   TOOLGATE_TOKEN, it is never written to the file
  --url ADDRESS    address of the running gateway (default http://127.0.0.1:8080/mcp); implies --http
  --name NAME      name of the entry (default toolgate)
  --config FILE    configuration file of the started gateway
  --project DIR    project folder, for assistants configured per project (default: this folder)
`;

const options = {
  write: { type: 'boolean' },
  undo: { type: 'boolean' },
  print: { type: 'boolean' },
  http: { type: 'boolean' },
  url: { type: 'string' },
  name: { type: 'string' },
  config: { type: 'string' },
  project: { type: 'string' },
} as const;

/** Command that starts this program; under npx the package name is used, since npx may prune its cached copy at any time. */
function stdioReach(config: string | undefined): Reach {
  const program = realpathSync(process.argv[1] ?? '.');
  const more = ['serve', '--stdio', ...(config === undefined ? [] : ['--config', resolve(config)])];
  if (/[\\/]_npx[\\/]/.test(program)) return { transport: 'stdio', command: 'npx', args: ['-y', 'toolgate', ...more] };
  return { transport: 'stdio', command: process.execPath, args: [program, ...more] };
}

function reachOf(http: boolean, url: string | undefined, config: string | undefined): Reach | undefined {
  if (!http && url === undefined) return stdioReach(config);
  const given = url ?? 'http://127.0.0.1:8080/mcp';
  return /^https?:\/\/[^\s"'\\]+$/.test(given) ? { transport: 'http', url: given } : undefined;
}

/** Shows, writes or removes the configuration entry of an assistant. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('connect', argv, options, io, []);
  if (parsed === undefined) return 2;
  const { values, positionals } = parsed;
  const { name = 'toolgate', print = false, write = false, undo = false } = values;
  // The name ends up in files that other programs turn into commands, so shell metacharacters are rejected (command injection).
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    return wrong(io, `--name ${JSON.stringify(name)} must be 1 to 64 letters, digits, _ or -`);
  const reach = reachOf(values.http ?? false, values.url, values.config);
  if (!reach) return wrong(io, '--url must be an http or https URL');
  if (print) {
    io.out(`${JSON.stringify({ mcpServers: { [name]: clients['claude-code']?.entry(reach) } }, null, 2)}\n`);
    return 0;
  }
  const [assistant, ...more] = positionals;
  const client = assistant !== undefined && Object.hasOwn(clients, assistant) ? clients[assistant] : undefined;
  if (assistant === undefined) return wrong(io, `no assistant given; use one of ${Object.keys(clients).join(', ')}`);
  if (!client)
    return wrong(
      io,
      `unknown assistant ${JSON.stringify(assistant)}${didYouMean(assistant, Object.keys(clients)) || ';'} --print prints an entry for any other`,
    );
  if (more.length > 0) return wrong(io, `unexpected argument ${JSON.stringify(more[0])}`);
  const file = client.file({
    home: io.env['HOME'] ?? homedir(),
    project: resolve(values.project ?? '.'),
    platform: process.platform,
    env: io.env,
  });
  if (undo) return undoConnection(io, file, client.member, name);
  const entry = client.entry(reach);
  if (!entry) return wrong(io, `${assistant} can only start a gateway over stdio; remove --http and --url`);
  const change = planChange(file, client.member, name, entry);
  if ('problem' in change) {
    io.err(`toolgate connect: ${change.problem}. Add this to ${JSON.stringify(client.member)} yourself:\n`);
    io.out(`${JSON.stringify({ [name]: entry }, null, 2)}\n`);
    return 1;
  }
  io.out(
    `${file}${change.before === undefined ? ' (new)' : ''}\n${JSON.stringify({ [client.member]: { [name]: entry } }, null, 2)}\n`,
  );
  if (change.before === change.after) io.err('Already connected; nothing to change.\n');
  else if (write) {
    applyChange(change);
    io.err(
      `Written. The original file is kept as ${backupOf(file)}; --undo removes the entry.${client.note ? ` ${client.note}` : ''}\n`,
    );
  } else io.err('Nothing was changed; add --write to write it.\n');
  return 0;
}

function undoConnection(io: Io, file: string, member: string, name: string): number {
  const result = undoChange(file, member, name);
  if (typeof result === 'object') {
    io.err(`toolgate connect: ${result.problem}\n`);
    return 1;
  }
  io.out(
    `${file}: ${{ nothing: 'no entry to remove', restored: 'restored to the original file', removed: 'entry removed; other changes kept' }[result]}\n`,
  );
  return 0;
}

const wrong = (io: Io, message: string): number => usageError('connect', message, io);
