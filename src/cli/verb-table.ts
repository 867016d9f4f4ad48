import type { Io } from './io.js';

/** A verb of the command line. */
interface Verb {
  readonly help: string;
  run(argv: readonly string[], io: Io): Promise<number>;
}

/** A verb as the table lists it. */
interface VerbEntry {
  readonly does: string;
  /** What its exit codes mean; 0 is success and 2 wrong use where the table has nothing else; 130 is an interrupt. */
  readonly exits: Readonly<Record<number, string>>;
  /** Loads the code on demand: an assistant that starts the gateway should not wait for code it does not use. */
  load(): Promise<Verb>;
}

const noGateway = { 1: 'no gateway was reached, or it rejected the request' };

/** All verbs in the order of the help page. Help pages, completion, documents and tests are made from this table. */
export const cliVerbs: Readonly<Record<string, VerbEntry>> = {
  serve: {
    does: 'run the gateway over stdio or HTTP',
    exits: { 0: 'ended in order', 1: 'the gateway could not start' },
    load: () => import('./verbs/serve.js'),
  },
  add: {
    does: 'add a server: resolve, pin, install, scan, start and list it',
    exits: { 1: 'it was not added, or is held for approval' },
    load: () => import('./verbs/add.js'),
  },
  import: {
    does: 'take over the servers that assistants have',
    exits: { 1: 'an entry cannot be imported, or a file cannot be read or written' },
    load: () => import('./verbs/import.js'),
  },
  init: {
    does: 'write a commented configuration to start from',
    exits: { 1: 'the file exists already or cannot be written' },
    load: () => import('./verbs/init.js'),
  },
  connect: {
    does: 'connect an assistant: show or write its configuration entry',
    exits: { 1: 'no assistant was found, or its file cannot be changed' },
    load: () => import('./verbs/connect.js'),
  },
  status: {
    does: 'show the running gates',
    exits: { 0: 'a gate runs', 1: 'no gate runs' },
    load: () => import('./verbs/gate/status.js'),
  },
  stop: { does: 'stop the running gate', exits: { 1: 'no gate runs' }, load: () => import('./verbs/gate/stop.js') },
  sources: {
    does: 'list, test, refresh, add and remove sources of tools',
    exits: { 1: 'the source is unknown or unhealthy, or the file cannot be changed' },
    load: () => import('./verbs/sources.js'),
  },
  restart: {
    does: 'restart a source at the running gate',
    exits: { 1: 'no gate runs, or the source is unknown or did not come up' },
    load: () => import('./verbs/gate/restart.js'),
  },
  logs: {
    does: 'show what a source wrote to its log',
    exits: { 1: 'no gate runs, or the source is unknown' },
    load: () => import('./verbs/gate/logs.js'),
  },
  tools: {
    does: 'list tools and whether they are ready',
    exits: { 1: 'the tool is unknown, or --lint found an error' },
    load: () => import('./verbs/tools.js'),
  },
  call: {
    does: 'run one tool, at the running gate or in this process',
    exits: { 0: 'the tool succeeded', 1: 'the tool failed', 3: 'the call was refused' },
    load: () => import('./verbs/call.js'),
  },
  enable: {
    does: 'offer a disabled tool again, at the running gate',
    exits: { 1: 'no gate runs, or the tool is unknown' },
    load: () => import('./verbs/enable.js'),
  },
  disable: {
    does: 'take a tool out of service, at the running gate',
    exits: { 1: 'no gate runs, or the tool is unknown' },
    load: () => import('./verbs/disable.js'),
  },
  surface: {
    does: 'list what an MCP server offers, from its source code',
    exits: { 1: 'something could not be determined (--strict)', 2: 'the code cannot be read, or wrong use' },
    load: () => import('./verbs/surface.js'),
  },
  scan: {
    does: "scan an MCP server's source code for vulnerabilities",
    exits: {
      0: 'no finding at or above the threshold',
      1: 'findings at or above the threshold (diff: a new critical or high one)',
      2: 'incomplete, or wrong use',
    },
    load: () => import('./verbs/scan.js'),
  },
  check: {
    does: 'check the configuration',
    exits: { 0: 'valid', 1: 'a problem, or a finding of severity error' },
    load: () => import('./verbs/check.js'),
  },
  doctor: {
    does: 'check this machine and the deployment',
    exits: { 0: 'no check failed', 1: 'a check failed' },
    load: () => import('./verbs/doctor.js'),
  },
  audit: {
    does: 'show who called what, or verify the audit journal',
    exits: { 1: 'the journal is not intact or cannot be read' },
    load: () => import('./verbs/audit.js'),
  },
  approvals: {
    does: 'list, watch, approve and deny calls that wait for approval',
    exits: noGateway,
    load: () => import('./verbs/approvals.js'),
  },
  console: {
    does: 'open the console of the running gateway in a browser',
    exits: noGateway,
    load: () => import('./verbs/console.js'),
  },
  explain: {
    does: 'show which rule would decide a call, and why',
    exits: {
      0: 'the call would be allowed or need approval',
      1: 'the gateway could not start',
      3: 'the call would be refused, or the tool is hidden or unknown',
    },
    load: () => import('./verbs/explain.js'),
  },
  policy: {
    does: 'show what draft rules would decide about recorded calls',
    exits: {
      0: 'no recorded call would be decided differently',
      1: 'the draft is invalid, or the gateway could not start',
      3: 'recorded calls would be decided differently',
    },
    load: () => import('./verbs/policy.js'),
  },
  pins: {
    does: 'show, approve and reject changed definitions of upstream servers',
    exits: { 1: 'the source or definition is unknown, or it changed since it was shown' },
    load: () => import('./verbs/pins.js'),
  },
  login: {
    does: 'log in at a remote MCP server',
    exits: { 1: 'the login failed or was not completed' },
    load: () => import('./verbs/login.js'),
  },
  secret: {
    does: 'store secrets that the configuration refers to',
    exits: { 1: 'the secret is unknown, or cannot be read or stored' },
    load: () => import('./verbs/secret.js'),
  },
  token: {
    does: "create, list and revoke keys; show the owner's token",
    exits: { 1: 'the key is unknown or exists already, or cannot be written' },
    load: () => import('./verbs/token.js'),
  },
  completion: {
    does: 'print a completion script for bash, zsh or fish',
    exits: {},
    load: async () => (await import('./verbs/completion.js')).completionVerb(cliVerbs),
  },
};

/** The exit codes of a verb with their meaning, in ascending order. */
export const exitsOf = ({ exits }: VerbEntry): readonly (readonly [code: string, meaning: string])[] =>
  // Integer-like keys are enumerated in ascending order by the language.
  Object.entries({ 0: 'success', 2: 'wrong use', ...exits, 130: 'interrupted' });

/** Help page of a verb with the codes of the table. */
export async function helpPage(entry: VerbEntry): Promise<string> {
  const codes = exitsOf(entry).map(([code, meaning]) => `${code} ${meaning}`);
  // The verb's own page ends without exit codes, so that they cannot disagree with the table.
  return `${(await entry.load()).help.trimEnd()}\n\nWith --json, output and errors are JSON.\nExit codes: ${codes.join('; ')}.\n`;
}
