#!/usr/bin/env node
import type { Io } from './cli/io.js';
import { version } from './version.js';

/** One verb: its help and what it does; exit codes are 0 done, 1 not done, 2 called wrongly. */
interface Verb {
  readonly help: string;
  run(argv: readonly string[], io: Io): Promise<number>;
}

/** Every verb, loaded only when it is used: an assistant that starts us waits for nothing else. */
const verbs: Readonly<Record<string, { readonly does: string; load(): Promise<Verb> }>> = {
  serve: { does: 'run the gateway over stdio or HTTP', load: () => import('./cli/serve.js') },
  connect: { does: 'show or write what an assistant needs to use the gateway', load: () => import('./cli/connect.js') },
  tools: { does: 'list tools, those that are ready and those that are not', load: () => import('./cli/tools.js') },
  call: { does: 'run one tool through the gate, with or without a server', load: () => import('./cli/call.js') },
  surface: { does: 'say what an MCP server offers, from its source', load: () => import('./cli/surface.js') },
  scan: { does: "read an MCP server's source and report what is wrong with it", load: () => import('./cli/scan.js') },
  check: { does: 'check the configuration', load: () => import('./cli/check.js') },
  doctor: { does: 'say what this machine offers and what is missing', load: () => import('./cli/doctor.js') },
  audit: { does: 'show who called what, or check that the record is whole', load: () => import('./cli/audit.js') },
  approvals: { does: 'see and answer calls that wait for an operator', load: () => import('./cli/approvals.js') },
  explain: { does: 'say which rule would decide about a call, and why', load: () => import('./cli/explain.js') },
  pins: { does: 'show and approve what upstream servers offer', load: () => import('./cli/pins.js') },
  sources: { does: 'show, test, add and remove where tools come from', load: () => import('./cli/sources.js') },
  login: { does: 'log in at a remote MCP server', load: () => import('./cli/login.js') },
  token: { does: "make, list and revoke keys; show the gateway's own token", load: () => import('./cli/token.js') },
};

const usage = `toolgate ${version} — one guarded gate between AI assistants and the tools they use

Usage: toolgate <verb> [options]

${Object.entries(verbs)
  .map(([name, { does }]) => `  ${name.padEnd(10)} ${does}`)
  .join('\n')}

  toolgate <verb> --help   tells more
  toolgate --version
`;

async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.out(usage);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-V') {
    io.out(`${version}\n`);
    return 0;
  }
  const entry = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (entry === undefined) {
    io.err(`toolgate: there is no verb ${JSON.stringify(name)}; toolgate --help lists them\n`);
    return 2;
  }
  const verb = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(verb.help.endsWith('\n') ? verb.help : `${verb.help}\n`);
    return 0;
  }
  return verb.run(rest, io);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.abort(signal));

// A reader that went away (`toolgate tools | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

main(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  isTTY: process.stdout.isTTY === true,
  showsProgress: process.stderr.isTTY === true,
  signal: interrupted.signal,
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`toolgate: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
