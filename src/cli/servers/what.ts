import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isExecutable } from '../../processes/executables.js';
import {
  parseNpmName,
  parsePypiName,
  parseServerCommand,
  type WantedProblem,
  type WantedServer,
} from '../../sources/mcp/registration/server-command.js';

/** What `toolgate add` is to add: an MCP server, or the operations of a document. */
export type AddedThing = { readonly server: WantedServer } | { readonly document: string };

/** Decides what the words of `toolgate add` name. */
export function parseWhat(
  words: readonly string[],
  { openapi, headers }: { readonly openapi: boolean; readonly headers: Readonly<Record<string, string>> },
): AddedThing | WantedProblem {
  const [what = '', ...args] = words;
  const isUrl = /^https?:\/\//.test(what);
  // Documents first: a URL that ends in .json is hardly a server.
  if (openapi || (isUrl && /\.(json|ya?ml)$/i.test(new URL(what).pathname)) || isDocument(what))
    return { document: isUrl ? what : resolve(what) };
  if (isUrl) return { server: { kind: 'remote', url: what, headers, ...(/\/sse\/?$/.test(what) && { sse: true }) } };
  const [, registry, spec] = /^(npm|pypi):(.+)$/.exec(what) ?? [];
  if (registry === 'npm' || what.startsWith('@')) return packageThing('npm', spec ?? what, args);
  // Version operators and extras exist on PyPI only.
  if (registry === 'pypi' || /[=<>~!]=|\[/.test(what)) return packageThing('pypi', spec ?? what, args);
  if (
    what.includes('/') ||
    what.includes('\\') ||
    // A program with arguments is a command; the same word alone may be a package.
    (args.length > 0 &&
      /^(?:npx|bunx|uvx|uv|pipx|pnpm|yarn|npm|bun|docker|node|python3?|cmd|env|deno)$/.test(basename(what)))
  ) {
    const interpreter = isPlainFile(what) ? scriptInterpreter(what) : undefined;
    const server =
      interpreter === undefined ? parseServerCommand(what, args) : parseServerCommand(interpreter, [what, ...args]);
    return 'problem' in server ? server : { server };
  }
  return packageThing('either', what, args);
}

/** A package of a named registry, or of either. */
function packageThing(
  registry: 'npm' | 'pypi' | 'either',
  text: string,
  args: readonly string[],
): AddedThing | WantedProblem {
  const parsed = registry === 'pypi' ? parsePypiName(text) : parseNpmName(text);
  return parsed
    ? { server: { kind: 'package', registry, ...parsed, args } }
    : { problem: `${JSON.stringify(text)} is neither the name of a package, a URL, a document nor a command` };
}

/** Interpreter of a script that cannot be started by itself. */
const scriptInterpreter = (path: string): string | undefined =>
  path.endsWith('.py') ? 'python3' : /\.[cm]?js$/.test(path) ? 'node' : undefined;

const isPlainFile = (path: string): boolean => existsSync(path) && !isExecutable(resolve(path));

/** The version is near the beginning of every document. */
const maxLookBytes = 65_536;

/** Whether a path is a file with an OpenAPI or Swagger version near its beginning. */
function isDocument(path: string): boolean {
  if (!/\.(json|ya?ml)$/i.test(path) || !existsSync(path) || !statSync(path).isFile()) return false;
  return /["']?(openapi|swagger)["']?\s*:/.test(readFileSync(path, 'utf8').slice(0, maxLookBytes));
}

/** An id from what is added: the last part of its name without what every server has in it. */
export function idFrom(thing: AddedThing, taken: (id: string) => boolean): string {
  const name = 'document' in thing ? documentName(thing.document) : serverName(thing.server);
  const base =
    name
      .replaceAll(/^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-mcp|-server)$/g, '')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 40) || 'server';
  let id = base;
  for (let count = 2; taken(id); count += 1) id = `${base}-${count}`;
  return id;
}

/** Names of documents that say nothing about the API. */
const commonDocument = /^(?:openapi|swagger|api|apis|api-docs|spec|schema|index|main|latest|v?\d+)$/i;

function documentName(document: string): string {
  const url = /^https?:\/\//.test(document) ? new URL(document) : undefined;
  const name = basename(url?.pathname ?? document).replace(/\.\w+$/, '');
  if (!commonDocument.test(name)) return name;
  return url === undefined ? basename(dirname(document)) : hostName(url);
}

/** Name of a host: its domain without the usual prefixes; an address states nothing, so its kind and port name it. */
function hostName({ hostname, port, protocol }: URL): string {
  const numbered = port === '' ? '' : `-${port}`;
  if (/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
    return `local${numbered || `-${protocol.slice(0, -1)}`}`;
  if (/^(?:\d+(?:\.\d+){3}|\[.*\])$/.test(hostname)) return `host-${hostname.replace(/^\[|\]$/g, '')}${numbered}`;
  return hostname.replace(/^(?:www|mcp|api)\.(?=.*\.)/, '').split('.')[0] ?? '';
}

/** Name of a server, from its package, host, image or script. */
function serverName(server: WantedServer): string {
  if (server.kind === 'package') return server.name.replace(/^@[^/]+\//, '').replace(/\[.*$/, '');
  if (server.kind === 'remote') return hostName(new URL(server.url));
  if (server.kind === 'docker') {
    const image = server.args.find((word, index) => !word.startsWith('-') && server.args[index - 1] !== '-e') ?? '';
    return basename(image.split(/[@:]/)[0] ?? '');
  }
  const script = server.kind === 'program' ? server.command : (server.args.find((word) => !word.startsWith('-')) ?? '');
  return basename(script).replace(/\.\w+$/, '');
}
