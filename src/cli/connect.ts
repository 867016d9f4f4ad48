import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { clients } from './connect/clients.js';
import type { Reach } from './connect/clients.js';
import { backupOf, planned, undone, written } from './connect/edit.js';
import type { Io } from './io.js';

export const help = `Usage: toolgate connect <assistant> [--write | --undo] [options]
       toolgate connect --print [options]

Shows what has to stand in the configuration of an assistant so that it uses this gateway; nothing is changed without --write.

${Object.entries(clients)
  .map(([name, { does }]) => `  ${name.padEnd(16)} ${does}`)
  .join('\n')}

  --write          writes the change; the file as it was is kept beside it as <file>.before-toolgate
  --undo           takes it back
  --print          prints an entry for any other assistant
  --http [--url]   connects to a running gateway (http://127.0.0.1:8080/mcp) instead of starting one;
                   the token is read from TOOLGATE_TOKEN by the assistant and never written
  --name NAME      what the assistant calls the gateway (toolgate)
  --config FILE    the configuration the started gateway reads
  --project DIR    the project for assistants that are configured by project (this folder)
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

/** How an assistant starts this very program; one run from the cache of npx would be gone tomorrow, so it is named instead. */
function startOf(config: string | undefined): Reach {
  const program = realpathSync(process.argv[1] ?? '.');
  const more = ['serve', '--stdio', ...(config === undefined ? [] : ['--config', resolve(config)])];
  if (/[\\/]_npx[\\/]/.test(program)) return { kind: 'stdio', command: 'npx', args: ['-y', 'toolgate', ...more] };
  return { kind: 'stdio', command: process.execPath, args: [program, ...more] };
}

function reachOf(http: boolean, url: string | undefined, config: string | undefined): Reach | undefined {
  if (!http && url === undefined) return startOf(config);
  const given = url ?? 'http://127.0.0.1:8080/mcp';
  return /^https?:\/\/[^\s"'\\]+$/.test(given) ? { kind: 'http', url: given } : undefined;
}

/** Connects an assistant to this gateway: shows first, writes on demand, takes back on demand. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let given;
  try {
    given = parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    return wrong(io, error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = given;
  const { name = 'toolgate', print = false, write = false, undo = false } = values;
  // A name ends up in files that other programs turn into commands: nothing but letters, digits, _ and - gets there.
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name))
    return wrong(io, `--name ${JSON.stringify(name)} must be 1 to 64 letters, digits, _ or -`);
  const reach = reachOf(values.http ?? false, values.url, values.config);
  if (!reach) return wrong(io, '--url must be an http or https address');
  if (print) {
    io.out(`${JSON.stringify({ mcpServers: { [name]: clients['claude-code']?.entry(reach) } }, null, 2)}\n`);
    return 0;
  }
  const [assistant, ...more] = positionals;
  const client = assistant !== undefined && Object.hasOwn(clients, assistant) ? clients[assistant] : undefined;
  if (!client || more.length > 0)
    return wrong(
      io,
      assistant === undefined
        ? 'which assistant?'
        : `${JSON.stringify(assistant)} is not one we can write for; --print shows an entry for any`,
    );
  const file = client.file({
    home: io.env['HOME'] ?? homedir(),
    project: resolve(values.project ?? '.'),
    platform: process.platform,
    env: io.env,
  });
  if (undo) return takeBack(io, file, client.member, name);
  const entry = client.entry(reach);
  if (!entry) return wrong(io, `${assistant} can only start a gateway; leave --http away`);
  const change = planned(file, client.member, name, entry);
  if ('problem' in change) {
    io.err(`toolgate connect: ${change.problem}. Add this to ${JSON.stringify(client.member)} by hand:\n`);
    io.out(`${JSON.stringify({ [name]: entry }, null, 2)}\n`);
    return 1;
  }
  io.out(
    `${file}${change.before === undefined ? ' (new)' : ''}\n${JSON.stringify({ [client.member]: { [name]: entry } }, null, 2)}\n`,
  );
  if (change.before === change.after) io.err('That stands there already.\n');
  else if (write) {
    written(change);
    io.err(
      `Written. The file as it was is ${backupOf(file)}; --undo takes the change back.${client.note ? ` ${client.note}` : ''}\n`,
    );
  } else io.err('Nothing was changed; --write does it.\n');
  return 0;
}

function takeBack(io: Io, file: string, member: string, name: string): number {
  const result = undone(file, member, name);
  if (typeof result === 'object') {
    io.err(`toolgate connect: ${result.problem}\n`);
    return 1;
  }
  io.out(
    `${file}: ${{ nothing: 'there was nothing to take back', restored: 'is as it was', removed: 'the entry is gone; other changes stay' }[result]}\n`,
  );
  return 0;
}

function wrong(io: Io, why: string): number {
  io.err(`toolgate connect: ${why}\n\n${help}`);
  return 2;
}
