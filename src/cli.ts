#!/usr/bin/env node
import { didYouMean, failure, usageError } from './cli/command-line.js';
import type { Io } from './cli/io.js';
import { cliVerbs, helpPage } from './cli/verb-table.js';
import { describeSystemError } from './lib/system-error.js';
import { version } from './version.js';

const usage = `toolgate ${version} — one guarded gate between AI assistants and the tools they use

Usage: toolgate <verb> [options]

${Object.entries(cliVerbs)
  .map(([name, { does }]) => `  ${name.padEnd(10)} ${does}`)
  .join('\n')}

  toolgate help <verb>     shows the options and exit codes of a verb
  toolgate version         shows the version
`;

/** Exit code of programs that SIGINT ended. */
const interruptedCode = 130;
const wrongUseCode = 2;
const helpWords = ['help', '--help', '-h'];
const versionWords = ['version', '--version', '-V', '-v'];

async function main([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === undefined) {
    if (io.json === true) return usageError('', 'no verb given; toolgate help lists them', io);
    io.out(usage);
    return wrongUseCode;
  }
  if (helpWords.includes(name)) {
    const about = rest.find((word) => !word.startsWith('-'));
    return about === undefined ? printText('usage', usage, io) : runVerb(about, ['--help'], io);
  }
  return versionWords.includes(name) ? printText('version', `${version}\n`, io) : runVerb(name, rest, io);
}

async function runVerb(name: string, argv: readonly string[], io: Io): Promise<number> {
  const entry = Object.hasOwn(cliVerbs, name) ? cliVerbs[name] : undefined;
  if (entry === undefined) {
    const known = [...Object.keys(cliVerbs), 'help', 'version'];
    return usageError(
      '',
      name.startsWith('-')
        ? `unknown option ${name}${didYouMean(name, ['--help', '--version'])}`
        : `unknown verb ${JSON.stringify(name)}${didYouMean(name, known)}`,
      io,
    );
  }
  const own = ownWords(argv);
  if (own.includes('--help') || own.includes('-h')) return printText('help', await helpPage(entry), io);
  const verb = await entry.load();
  try {
    return await verb.run(argv, io);
  } catch (error) {
    return io.signal.aborted ? interruptedCode : failure(name, describeError(error), io);
  }
}

function printText(key: string, text: string, io: Io): number {
  io.out(io.json === true ? `${JSON.stringify({ [key]: text.trimEnd() })}\n` : text);
  return 0;
}

/** Words before `--`; those behind it belong to another program. */
const ownWords = (argv: readonly string[]): readonly string[] => {
  const dashes = argv.indexOf('--');
  return dashes < 0 ? argv : argv.slice(0, dashes);
};

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

const argv = process.argv.slice(2);
const io: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  isTTY: process.stdout.isTTY === true,
  showsProgress: process.stderr.isTTY === true,
  ...(process.stdout.isTTY === true && { columns: process.stdout.columns }),
  json: ownWords(argv).includes('--json'),
  signal: interruption.signal,
  ...(process.stdin.isTTY === true && process.stderr.isTTY === true && { ask: askAtTerminal }),
};
main(argv, io).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = failure('', describeError(error), io);
  },
);
