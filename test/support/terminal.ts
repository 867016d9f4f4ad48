import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from './processes.js';
import { whenDone } from './temporary.js';
import { cli } from './toolgate.js';

/** Whether `script` of util-linux can open a pseudo-terminal here; says so in one line where it cannot. */
export function canOpenTerminals(): boolean {
  const tried = spawnSync('script', ['-qefc', 'test -t 0 && echo terminal', '/dev/null'], { encoding: 'utf8' });
  if (tried.stdout?.includes('terminal')) return true;
  console.log('skipped: script of util-linux is not installed, or no pseudo-terminal can be opened');
  return false;
}

/** A verb that runs at a pseudo-terminal. */
export interface Terminal {
  /** Everything that the terminal showed so far. */
  text(): string;
  type(text: string): void;
  /** Resolves once the terminal shows this, after `from` characters. */
  shows(what: string | RegExp, from?: number): Promise<void>;
  /** Exit code of the verb. */
  readonly ended: Promise<number | null>;
}

/** Starts a verb at a terminal of 24 rows and 100 columns. */
export function atTerminal(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Terminal {
  const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const command = `stty rows 24 cols 100 && exec ${[process.execPath, cli, ...argv].map(quote).join(' ')}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      SHELL: '/bin/sh',
      TERM: 'xterm',
      HOME: cwd,
      TOOLGATE_HOME: join(cwd, 'home'),
      ...env,
    },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // It may have ended when something is typed.
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  whenDone(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    text: () => text,
    type: (typed) => void child.stdin.write(typed),
    async shows(what, from = 0) {
      await eventually(
        () => text.slice(from),
        (shown) => (typeof what === 'string' ? shown.includes(what) : what.test(shown)),
        60_000,
      );
    },
    ended,
  };
}
