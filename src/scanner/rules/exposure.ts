import type { Expr, FunctionNode } from '../ir/nodes.js';
import type { Location } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import type { ToolEntry } from '../taint/sources/sources.js';
import { pythonCase } from './cases.js';
import { findEnvironmentDump } from './environment-dump.js';
import { nodeLocation, locationAt } from './module-search.js';
import type { Finding, Rule } from './rule.js';

const credentialName =
  /(?:^|[_.-])(?:access_?token|refresh_?token|auth_?token|api_?key|secret(?:_?key)?|password|passwd|private_?key|token|credentials?)$/i;
const credentialLabel = /(?:token|api[ _-]?key|password|secret|bearer|credential)[^\n]{0,24}[:=]?\s*(?:Bearer )?$/i;
const harmlessName = /count|used|limit|usage|length|total|max|num|budget|page/i;

/** Finds tools that return a credential. */
export const exposure: Rule = {
  id: 'TG-SECRET-EXPOSED',
  title: 'A tool returns a credential',
  severity: 'medium',
  cwe: [200, 522],
  owasp: ['MCP01:2025 Token Mismanagement and Secret Exposure', 'MCP10:2025 Context Injection and Over-Sharing'],
  safeMcp: ['SAFE-T1504'],
  why: 'Tool results stay in the conversation, where the user, the model and other tools can read them.',
  fix: 'Keep credentials out of results and error messages, or show only their last characters.',
  cases: [
    pythonCase(
      'import json',
      `@mcp.tool()
def status(service: str) -> str:
    info = json.load(open("/srv/services.json"))[service]
    return f"Service is up. Access token: {info['access_token']}"`,
      `@mcp.tool()
def status(service: str) -> str:
    info = json.load(open("/srv/services.json"))[service]
    return f"Service is up since {info['since']}"`,
    ),
    pythonCase(
      'import json\nimport os',
      `@mcp.tool()
def health() -> str:
    report = {"up": True, "settings": dict(os.environ)}
    return json.dumps(report)`,
      `@mcp.tool()
def health() -> str:
    report = {"up": True, "region": os.environ.get("REGION", "")}
    return json.dumps(report)`,
    ),
  ],
  find: (context) => {
    const visited = new Set<FunctionNode>();
    return context.entries.flatMap(({ entry }): Finding[] => {
      const { fn, module } = entry.handler;
      if (visited.has(fn)) return [];
      visited.add(fn);
      const returned = new Set<string>();
      const texts: { readonly expr: Expr & { kind: 'template' }; readonly held: string | undefined }[] = [];
      walk(fn.body, {
        stmt: (stmt) => {
          if (stmt.kind === 'return' && stmt.value?.kind === 'name') returned.add(stmt.value.name);
          if (stmt.kind === 'return' && stmt.value?.kind === 'template')
            texts.push({ expr: stmt.value, held: undefined });
          if (stmt.kind === 'assign' && stmt.target.kind === 'name' && stmt.value?.kind === 'template')
            texts.push({ expr: stmt.value, held: stmt.target.name });
        },
      });
      const dump = findEnvironmentDump(fn, (expr) => module.text.slice(expr.start, expr.end));
      const environment = dump ? [environmentFinding(entry, nodeLocation(module, dump))] : [];
      const named = texts
        .filter(({ held }) => held === undefined || returned.has(held))
        .flatMap(({ expr }) =>
          expr.parts.flatMap((part, at): Finding[] => {
            if (typeof part === 'string') return [];
            const before = expr.parts[at - 1];
            const name = fieldNameOf(part);
            if (
              !credentialName.test(name) ||
              harmlessName.test(name) ||
              !credentialLabel.test(typeof before === 'string' ? before.slice(-60) : '')
            )
              return [];
            return [
              {
                rule: exposure.id,
                kind: 'bug',
                severity: 'medium',
                tool: entry.name,
                message: `The result of ${entry.name} contains ${name}`,
                location: part.end > part.start ? nodeLocation(module, part) : locationAt(module, expr.start),
              },
            ];
          }),
        );
      return [...environment, ...named];
    });
  },
};

/** A tool described as showing the environment does so by design. */
function environmentFinding({ name, description }: ToolEntry, location: Location): Finding {
  const isByDesign = /environ|\benv(?:\b|_|[A-Z])|_env/i.test(`${name} ${description.trimStart().slice(0, 100)}`);
  return {
    rule: exposure.id,
    kind: isByDesign ? 'capability' : 'bug',
    severity: isByDesign ? 'note' : 'medium',
    tool: name,
    message: isByDesign
      ? `By design, the tool ${name} returns the environment`
      : `The result of ${name} contains the whole environment`,
    location,
  };
}

/** The field name of a value: `x.get('access_token')`, `x['api_key']`, `token`. */
function fieldNameOf(expr: Expr): string {
  if (expr.kind === 'name') return expr.name;
  if (expr.kind === 'member') return expr.property;
  if (expr.kind === 'index' && expr.index.kind === 'literal') return String(expr.index.value);
  if (
    expr.kind === 'call' &&
    expr.callee.kind === 'member' &&
    expr.callee.property === 'get' &&
    expr.args[0]?.value.kind === 'literal'
  )
    return String(expr.args[0].value.value);
  return '';
}
