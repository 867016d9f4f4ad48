#!/usr/bin/env node
import type { Io } from './cli/io.js';
import { describeSystemError } from './lib/system-error.js';
import { version } from './version.js';

/** A verb of the command line; exit codes are 0 for success, 1 for failure, 2 for wrong use. */
interface Verb {
  readonly help: string;
  run(argv: readonly string[], io: Io): Promise<number>;
}

/** All verbs, loaded on demand: an assistant that starts the gateway should not wait for code it does not use. */
const cliVerbs: Readonly<Record<string, { readonly does: string; load(): Promise<Verb> }>> = {
  serve: { does: 'run the gateway over stdio or HTTP', load: () => import('./cli/serve.js') },
  connect: {
    does: 'connect an assistant: show or write its configuration entry',
    load: () => import('./cli/connect.js'),
  },
  tools: { does: 'list tools and whether they are ready', load: () => import('./cli/tools.js') },
  call: { does: 'run one tool, with or without a running gateway', load: () => import('./cli/call.js') },
  surface: { does: 'list what an MCP server offers, from its source code', load: () => import('./cli/surface.js') },
  scan: { does: "scan an MCP server's source code for vulnerabilities", load: () => import('./cli/scan.js') },
  check: { does: 'check the configuration', load: () => import('./cli/check.js') },
  doctor: { does: 'check this machine and the deployment', load: () => import('./cli/doctor.js') },
  audit: { does: 'show who called what, or verify the audit journal', load: () => import('./cli/audit.js') },
  approvals: { does: 'list, approve and deny calls that wait for approval', load: () => import('./cli/approvals.js') },
  explain: { does: 'show which rule would decide a call, and why', load: () => import('./cli/explain.js') },
  pins: { does: 'show and approve changed definitions of upstream servers', load: () => import('./cli/pins.js') },
  sources: { does: 'list, test, add and remove sources of tools', load: () => import('./cli/sources.js') },
  login: { does: 'log in at a remote MCP server', load: () => import('./cli/login.js') },
  token: { does: "create, list and revoke keys; show the owner's token", load: () => import('./cli/token.js') },
};

const usage = `toolgate ${version} — one guarded gate between AI assistants and the tools they use

Usage: toolgate <verb> [options]

${Object.entries(cliVerbs)
  .map(([name, { does }]) => `  ${name.padEnd(10)} ${does}`)
  .join('\n')}

  toolgate <verb> --help   shows the options of a verb
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
  const entry = Object.hasOwn(cliVerbs, name) ? cliVerbs[name] : undefined;
  if (entry === undefined) {
    const { didYouMean, usageError } = await import('./cli/command-line.js');
    const known = [...Object.keys(cliVerbs), 'help'];
    return usageError(
      '',
      name.startsWith('-')
        ? `unknown option ${name}${didYouMean(name, ['--help', '--version'])}`
        : `unknown verb ${JSON.stringify(name)}${didYouMean(name, known)}`,
      io,
    );
  }
  const verb = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) {
    io.out(verb.help.endsWith('\n') ? verb.help : `${verb.help}\n`);
    return 0;
  }
  return verb.run(rest, io);
}

/** Messages of system errors are a library's text; all other errors that get here were thrown with words of our own. */
const describeError = (error: unknown): string =>
  error instanceof Error && !('code' in error) ? error.message : describeSystemError(error);

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interruption.abort(signal));

// A closed pipe (`toolgate tools | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

async function askAtTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question, { signal: interruption.signal });
  } catch {
    return '';
  } finally {
    terminal.close();
  }
}

main(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  isTTY: process.stdout.isTTY === true,
  showsProgress: process.stderr.isTTY === true,
  signal: interruption.signal,
  ...(process.stdin.isTTY === true && process.stderr.isTTY === true && { ask: askAtTerminal }),
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`toolgate: ${describeError(error)}\n`);
    process.exitCode = 1;
  },
);
