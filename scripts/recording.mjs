// node scripts/recording.mjs [--write]: walks the first day from an empty home with real packages, and prints commands, output and times.
// With --write the text becomes docs/recording.md. Needs npm, uv, python3 and bwrap, and the registries that they are configured for.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cli = join(root, 'dist/cli.js');
// Not below /tmp: packages there could be replaced by any user, and are refused.
mkdirSync(join(homedir(), '.cache'), { recursive: true });
const home = mkdtempSync(join(homedir(), '.cache', 'toolgate-recording-'));
const managers = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:UV.*|ssl_cert_.*|node_extra_ca_certs|npm_config_.*|https?_proxy|no_proxy)$/i.test(name),
  ),
);
const env = {
  PATH: process.env.PATH,
  npm_config_userconfig: execFileSync('npm', ['config', 'get', 'userconfig'], { encoding: 'utf8' }).trim(),
  ...managers,
  HOME: home,
  TOOLGATE_HOME: join(home, '.toolgate'),
};
const lines = [];
const say = (line = '') => {
  lines.push(line);
  console.log(line);
};
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const asUser = (text) => text.replaceAll(home, '/home/you').replaceAll(root, '/usr/lib/node_modules/toolgate');

/** Runs a verb, and records its command, output and duration. */
async function toolgate(...argv) {
  const since = performance.now();
  const child = spawn(process.execPath, [cli, ...argv], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  say(`$ toolgate ${asUser(argv.join(' '))}`);
  say(asUser(text).trimEnd());
  say(`# ${seconds(performance.now() - since)}`);
  say();
  if (code !== 0) throw new Error(`toolgate ${argv[0]} ended with ${code}`);
  return { text, ms: performance.now() - since };
}

/** Starts an assistant: the official client with the entry that `connect` wrote, from another folder. */
async function assistant(more = []) {
  const { command, args } = JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).mcpServers.toolgate;
  const transport = new StdioClientTransport({ command, args: [...args, ...more], env, cwd: '/', stderr: 'ignore' });
  const client = new Client({ name: 'assistant', version: '1' });
  await client.connect(transport);
  return client;
}

/** Waits until the servers are listed; a gate offers what is ready. */
async function toolsOf(client) {
  for (;;) {
    const { tools } = await client.listTools();
    if (['time__', 'filesystem__'].every((prefix) => tools.some(({ name }) => name.startsWith(prefix)))) return tools;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Processes of this home, and the memory that they do not share with others (PSS). */
function footprint() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  let count = 0;
  let kilobytes = 0;
  for (const pid of pids)
    try {
      if (
        !readFileSync(`/proc/${pid}/environ`, 'utf8').includes(home) &&
        !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(home)
      )
        continue;
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
      count += 1;
    } catch {
      // It has ended.
    }
  return { count, megabytes: Math.round(kilobytes / 1024) };
}

async function assistants(count, more) {
  const since = performance.now();
  const clients = [];
  for (let index = 0; index < count; index += 1) {
    const client = await assistant(more);
    await toolsOf(client);
    clients.push(client);
  }
  const ms = performance.now() - since;
  const used = footprint();
  for (const client of clients) await client.close();
  return { ...used, ms };
}

try {
  mkdirSync(join(home, 'notes'));
  writeFileSync(join(home, 'notes/today.txt'), 'buy milk\n');
  say(
    `Recorded by \`node scripts/recording.mjs --write\` with Node ${process.version} on ${new Date().toISOString().slice(0, 10)}, load average ${loadavg()[0].toFixed(1)} on two cores.`,
  );
  say();
  say('## From an empty home to a call');
  say();
  say('```console');
  const python = await toolgate('add', 'mcp-server-time', '--', '--local-timezone=Etc/UTC');
  const npm = await toolgate('add', '@modelcontextprotocol/server-filesystem', join(home, 'notes'));
  await toolgate('connect', 'cursor', '--write');
  say('```');
  say();
  const since = performance.now();
  const client = await assistant();
  const connected = performance.now() - since;
  const tools = await toolsOf(client);
  const listed = performance.now() - since;
  const file = await client.callTool({
    name: 'filesystem__read_text_file',
    arguments: { path: join(home, 'notes/today.txt') },
  });
  const time = await client.callTool({ name: 'time__get_current_time', arguments: { timezone: 'Etc/UTC' } });
  const done = performance.now() - since;
  say('The official TypeScript client, started with this entry in another folder:');
  say();
  say('```console');
  say(`connected                   ${seconds(connected)}`);
  say(`${tools.length} tools                    ${seconds(listed)}`);
  say(`filesystem__read_text_file  ${JSON.stringify(file.content?.[0]?.text)}`);
  say(`time__get_current_time      ${String(time.content?.[0]?.text).replaceAll(/\s+/g, ' ')}`);
  say(`both answered               ${seconds(done)}`);
  say('```');
  say();
  const install = [python, npm].reduce(
    (sum, { text }) => sum + 1000 * Number(/install +([\d.]+) s/.exec(text)?.[1] ?? 0),
    0,
  );
  say(`All steps together ${seconds(python.ms + npm.ms + done)}, of which the two installations ${seconds(install)}.`);
  await client.close();
  say();
  say('## Three assistants at once');
  say();
  const shared = await assistants(3, []);
  execFileSync(process.execPath, [cli, 'stop'], { cwd: home, env });
  const alone = await assistants(3, ['--alone']);
  say('| | Processes | Memory (PSS) | Until the third has all tools |');
  say('|---|---|---|---|');
  say(`| one gate for all | ${shared.count} | ${shared.megabytes} MB | ${seconds(shared.ms)} |`);
  say(`| a gate each (\`--alone\`) | ${alone.count} | ${alone.megabytes} MB | ${seconds(alone.ms)} |`);
  if (process.argv.includes('--write'))
    writeFileSync(join(root, 'docs/recording.md'), `# The first day, recorded\n\n${lines.join('\n')}\n`);
} finally {
  try {
    execFileSync(process.execPath, [cli, 'stop'], { cwd: home, env, stdio: 'ignore' });
  } catch {
    // No gate is running.
  }
  rmSync(home, { recursive: true, force: true });
}
