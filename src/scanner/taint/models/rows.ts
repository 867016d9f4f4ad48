/** What the second column of each kind means, and what its rows may hold; the reference in the documents is made from it. */
export interface KindSpec {
  readonly says: string;
  /** `arguments`: the row chooses the arguments; otherwise the only content that rows of the kind have. */
  readonly in: 'arguments' | '' | '*' | '0' | 'this';
  /** `dangers`: names of ruled out dangers; `name`: another qualified name; otherwise one of these words. */
  readonly out: 'dangers' | 'name' | readonly string[];
}

const sink = (says: string): KindSpec => ({ says, in: 'arguments', out: [''] });
const fixed = (says: string, of: KindSpec['in'], ...out: readonly string[]): KindSpec => ({ says, in: of, out });

/** What a library function may do besides returning a value. */
export const effectNames = [
  'read',
  'list',
  'send',
  'evaluate',
  'write',
  'remove',
  'start',
  'statement',
  'rename',
] as const;

/** Kinds of models. A new kind needs code that asks for it; a new row of a known kind needs none. */
export const modelKinds = {
  'sink:code': sink('evaluates the arguments as code'),
  'sink:path': sink('reads the file or folder that the arguments name'),
  'sink:path-write': sink('writes, moves or removes the file that the arguments name'),
  'sink:url': sink('sends a request to the URL'),
  'sink:deserialise': sink('builds objects from the bytes'),
  'sink:template': sink('renders the argument as a template'),
  'sink:module': sink('loads the module that the argument names'),
  'sink:archive': sink('extracts an archive'),
  'sink:query': sink('runs the argument as a query'),
  'sink:environment': sink('reads the environment variable that the argument names'),
  'command-line': sink('passes a line to a shell'),
  'argument-list': sink('starts the program at the front of a list'),
  'argument-words': fixed('starts the program that is its first argument', '*', ''),
  'program-and-list': sink('starts a program with a list of arguments'),
  'container-command': sink('runs a command inside of a container'),
  'shell-tag': fixed('template tag that runs a command line and quotes each value', '*', ''),
  'git-words': fixed('its arguments become words of a git command line', '*', ''),
  'runs-statement': sink('runs a statement of a database'),
  'statement-second': sink('takes the statement at another position'),
  'document-query': fixed('takes the filter of a document database', '0', ''),
  'directory-search': sink('searches a directory (LDAP)'),
  xpath: fixed('evaluates an XPath expression', '0', ''),
  database: fixed('package of a database client', '', ''),
  'no-database': fixed('package or global that runs no statement', '', ''),
  'page-script': sink('runs a script in a browser page'),
  sanitizer: { says: 'its result is safe for the dangers', in: '*', out: 'dangers' },
  validator: { says: 'throws unless its argument is safe for the dangers', in: '0', out: 'dangers' },
  decoder: fixed('its result loses all proofs', '*', 'unproved'),
  scalar: fixed('its result is no text of the caller', '*', 'none'),
  'normalizes-path': fixed('normalises a path', '*', 'path'),
  'resolves-links': fixed('resolves symbolic links', '0', 'path'),
  'builds-path': fixed('builds a path', '*', 'path'),
  'compares-paths': fixed('compares paths', '*', 'path'),
  'parses-url': fixed('parses a URL', '*', 'url'),
  'resolves-address': fixed('resolves a host name', '*', 'url'),
  propagator: fixed('passes taints from arguments to result', '*', 'taints'),
  'same-statement': fixed('returns the same statement', '0', 'same'),
  'deep-copy': fixed('copies an object with all its parts', '0', 'same'),
  'returns-argument': fixed('returns its first argument', '0', 'same'),
  'splits-command-line': fixed('splits a command line into words', '0', 'words'),
  serialiser: fixed('turns a whole object into text', '*', 'taints'),
  'text-method': fixed('method of a text that keeps its prefix', 'this', 'same'),
  'inspecting-method': fixed('method whose result does not hold its receiver', 'this', 'none'),
  'builtin-method': fixed('method of a built-in type; hides no project code', '', ''),
  'lists-archive': fixed('lists the entries of an archive', 'this', 'taints'),
  'lists-table': fixed('lists a table', 'this', 'keys', 'values', 'pairs'),
  effect: fixed('does something besides returning a value', '*', ...effectNames),
  'parses-message': fixed('parses a message in a read loop', '0', 'message'),
  'request-body': fixed('holds the body of a request', 'this', 'message'),
  request: fixed('stands for an HTTP request', '', 'message'),
  'supplied-type': fixed('type of a parameter that the framework supplies', '', 'none'),
  injected: fixed('default of a parameter that the framework injects', '', 'none'),
  'plain-type': fixed('type of a parameter that cannot carry an attack', '', 'none'),
  'forwards-arguments': sink('calls its first argument with the others, from this position'),
  'calls-per-item': fixed('calls its first argument for each item of the second', '', 'items'),
  'makes-collection': fixed('makes an empty collection', '', 'collection'),
  'opens-file': fixed('opens a file', '0', 'file'),
  'loads-module': fixed('loads a module by its name', '0', 'require', 'import'),
  container: fixed('package of a container of services, which returns project code', '', 'project'),
  alias: { says: 'another name of a package or member', in: '', out: 'name' },
} as const satisfies Readonly<Record<string, KindSpec>>;

export type ModelKind = keyof typeof modelKinds;

/** Conditions of single rows; their code is in `conditions.ts`. */
export type ConditionName = 'unless-base-url' | 'unless-safe-loader' | 'unless-data-filter' | 'if-evaluated';

/**
 * One member of a library: package, member, in, out, kind, and a condition where there is one.
 *
 * Package and member together are the qualified name. An empty package is the global scope; an empty member is the package
 * itself, called as a function. `()` is the result of a call. `*` stands for any letters of one name, `**` for any chain
 * of names; a package `**` is any receiver. In the third column numbers are positions, words are named arguments or
 * options, `this` is the receiver and `*` are all arguments.
 */
export type ModelRow = readonly [
  library: string,
  member: string,
  given: string,
  result: string,
  kind: ModelKind,
  condition?: ConditionName,
];
