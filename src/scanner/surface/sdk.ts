import type { ClassNode } from '../ir/nodes.js';
import { ancestry } from '../evaluate/calls/classes.js';
import { optionsOf, type ClassValue, type Value } from '../evaluate/values/values.js';
import type { Sdk } from './report.js';

/** Kinds of server objects with registration methods. */
type ServerKind = 'python-high' | 'python-low' | 'script-high' | 'script-low' | 'script-fastmcp';

/** The SDK of an import, by the complete package name or a path inside it. */
export function sdkOf(source: string): Sdk | undefined {
  if (/^mcp(?:\.|$)/.test(source)) return 'python-official';
  if (/^fastmcp(?:\.|$)/.test(source)) return 'python-fastmcp';
  if (/^@modelcontextprotocol\/sdk(?:\/|$)/.test(source)) return 'typescript-official';
  if (/^@modelcontextprotocol\/(?:server|client|core|node|express|hono|fastify|ext-apps)(?:[-/]|$)/.test(source))
    return 'typescript-v2';
  return undefined;
}

/** The SDK of a JavaScript import; there `fastmcp` is a different package. */
export const scriptSdkOf = (source: string): Sdk | undefined =>
  (/^fastmcp(?:\/|$)/.test(source) ? 'npm-fastmcp' : /^mcp(?:\.|$)/.test(source) ? undefined : sdkOf(source)) ??
  frameworkSdk(source);

/** Frameworks that wrap an SDK; their registrations are known by other means. */
const frameworkSdk = (source: string): Sdk | undefined =>
  /^(?:agents\/mcp|mcp-framework|@nestjs-mcp|@rekog\/mcp-nest|mcp-handler|@vercel\/mcp-adapter|mcp-lite|tmcp|@mastra\/mcp|xmcp|litemcp|@smithery\/sdk)(?:\/|$)/.test(
    source,
  )
    ? 'other'
    : undefined;

/** The display name of an SDK. */
export const sdkNames: Readonly<Record<Sdk, string>> = {
  'python-official': 'Python Official (mcp)',
  'python-fastmcp': 'FastMCP (fastmcp)',
  'typescript-official': 'TypeScript Official (@modelcontextprotocol/sdk)',
  'typescript-v2': 'TypeScript Official v2 (@modelcontextprotocol/server)',
  'npm-fastmcp': 'FastMCP for TypeScript (fastmcp)',
  other: 'Other MCP framework',
};

/** Classes of the high-level Python API. */
const highLevelPythonClasses = new Set(['FastMCP', 'MCPServer', 'FastMCPApp']);

/** Server kind of a class that comes from a package. */
function kindOfExternal(source: string, name: string, isPython: boolean): ServerKind | undefined {
  if (isPython) {
    if (highLevelPythonClasses.has(name) && (sdkOf(source) !== undefined || source === '')) return 'python-high';
    // Both SDKs have a class `Server`; only the official one is low-level.
    return name === 'Server' && sdkOf(source) === 'python-official' ? 'python-low' : undefined;
  }
  const sdk = scriptSdkOf(source);
  if (!sdk) return undefined;
  if (name === 'FastMCP') return 'script-fastmcp';
  if (name === 'McpServer' || name === 'MCPServer') return 'script-high';
  return name === 'Server' ? 'script-low' : undefined;
}

/** The server kind of an external or project class. */
export function kindOfClass(value: Value, isPython: boolean): ServerKind | undefined {
  if (value.kind === 'external') return kindOfExternal(value.source, value.path.at(-1) ?? '', isPython);
  if (value.kind !== 'class') return undefined;
  if (!classKinds.has(value)) classKinds.set(value, kindByAncestry(value));
  return classKinds.get(value);
}

/** Kinds of project classes; undefined is a result, too. */
const classKinds = new WeakMap<ClassValue, ServerKind | undefined>();

/** Kind of a project class: by the shape of its ancestors, or by the package of a base. */
function kindByAncestry(value: ClassValue): ServerKind | undefined {
  for (const each of ancestry(value)) {
    const shape = shapeOf(each).kind;
    if (shape) return shape;
    for (const base of each.bases) {
      if (base.kind !== 'external') continue;
      const found = kindOfExternal(base.source, base.path.at(-1) ?? '', each.module.language === 'python');
      if (found) return found;
    }
  }
  return undefined;
}

/** Properties of a class derived from its members; cached, because every evaluated call needs them. */
interface Shape {
  readonly kind: ServerKind | undefined;
  readonly isTransport: boolean;
}

/** Shapes by class node. */
const shapeCache = new WeakMap<ClassNode, Shape>();

/** Properties of a class, from the names of its members. */
function shapeOf({ cls }: ClassValue): Shape {
  const known = shapeCache.get(cls);
  if (known) return known;
  const names = new Set(cls.members.map((member) => member.name));
  // The interface of a transport in the SDK.
  const isTransport = names.has('start') && names.has('send') && names.has('close');
  const made = { kind: kindOfShape(names), isTransport };
  shapeCache.set(cls, made);
  return made;
}

/** Whether a method belongs to a bundled SDK or transport class; such code is never evaluated. */
export function isSdkMethod(callee: Value): boolean {
  if (callee.kind !== 'function' || !callee.home) return false;
  const { kind, isTransport } = shapeOf(callee.home);
  return kind !== undefined || isTransport;
}

/** Identifies bundled SDK classes, whose names are minified, by their characteristic methods. */
function kindOfShape(names: ReadonlySet<string>): ServerKind | undefined {
  const has = (name: string) => names.has(name);
  if (has('sendToolListChanged') && (has('registerTool') || has('tool')) && has('connect')) return 'script-high';
  if (has('setRequestHandler') && (has('assertCanSetRequestHandler') || has('setNotificationHandler')))
    return 'script-low';
  if (has('addTool') && has('addPrompt') && has('addResource') && has('start')) return 'script-fastmcp';
  return undefined;
}

/** The server kind of a value, if it is a server. */
export function serverKind(value: Value | undefined): ServerKind | undefined {
  for (const each of value ? optionsOf(value) : []) {
    if (each.kind === 'result') {
      const found = kindOfClass(each.callee, each.at.module.language === 'python') ?? factoryKind(each.callee);
      if (found) return found;
      // `.server` of a high-level server is its underlying low-level server.
      if (each.method === '.server' && serverKind(each.receiver) === 'script-high') return 'script-low';
      if (each.method === '._mcp_server' && serverKind(each.receiver)) return 'python-low';
    }
    if (each.kind === 'object' && each.cls) {
      const found = kindOfClass(each.cls, each.cls.module.language === 'python');
      if (found) return found;
    }
  }
  return undefined;
}

/** The server kind of factory calls such as `FastMCP.from_openapi(…)`. */
function factoryKind(callee: Value): ServerKind | undefined {
  if (callee.kind !== 'external') return undefined;
  const [owner, method] = callee.path.slice(-2);
  return owner !== undefined && method?.startsWith('from_') && highLevelPythonClasses.has(owner)
    ? 'python-high'
    : method === 'as_proxy'
      ? 'python-high'
      : undefined;
}
