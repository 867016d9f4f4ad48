import type { Expr, FunctionNode } from '../ir/nodes.js';
import type { Location } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import type { Entry } from '../taint/sources.js';
import { pythonCase } from './cases.js';
import { environmentShown } from './environment-shown.js';
import { nodeAt, spotAt } from './literals.js';
import type { Finding, Rule } from './rule.js';

const word =
  /(?:^|[_.-])(?:access_?token|refresh_?token|auth_?token|api_?key|secret(?:_?key)?|password|passwd|private_?key|token|credentials?)$/i;
const introduced = /(?:token|api[ _-]?key|password|secret|bearer|credential)[^\n]{0,24}[:=]?\s*(?:Bearer )?$/i;
const harmless = /count|used|limit|usage|length|total|max|num|budget|page/i;

/** A tool answers with a credential. */
export const exposure: Rule = {
  id: 'TG-SECRET-EXPOSED',
  title: 'A tool puts a credential into its answer',
  severity: 'medium',
  cwe: [200, 522],
  owasp: ['MCP01:2025 Token Mismanagement and Secret Exposure', 'MCP10:2025 Context Injection and Over-Sharing'],
  safeMcp: ['SAFE-T1504'],
  why: 'What a tool answers is kept in the conversation, shown to the user and to every other tool.',
  mend: 'Leave credentials out of answers and error texts, or show only their last characters.',
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
  find: (scanned) => {
    const done = new Set<FunctionNode>();
    return scanned.entries.flatMap(({ entry }): Finding[] => {
      const { fn, module } = entry.handler;
      if (done.has(fn)) return [];
      done.add(fn);
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
      const whole = environmentShown(fn, (expr) => module.text.slice(expr.start, expr.end));
      const environment = whole ? [environmentFinding(entry, nodeAt(module, whole))] : [];
      const named = texts
        .filter(({ held }) => held === undefined || returned.has(held))
        .flatMap(({ expr }) =>
          expr.parts.flatMap((part, at): Finding[] => {
            if (typeof part === 'string') return [];
            const before = expr.parts[at - 1];
            const name = lastName(part);
            if (
              !word.test(name) ||
              harmless.test(name) ||
              !introduced.test(typeof before === 'string' ? before.slice(-60) : '')
            )
              return [];
            return [
              {
                rule: exposure.id,
                kind: 'bug',
                severity: 'medium',
                tool: entry.name,
                message: `The answer of ${entry.name} holds ${name}`,
                location: part.end > part.start ? nodeAt(module, part) : spotAt(module, expr.start),
              },
            ];
          }),
        );
      return [...environment, ...named];
    });
  },
};

/** A tool that says that it shows the environment does what it says. */
function environmentFinding({ name, description }: Entry, location: Location): Finding {
  const isMeant = /environ|\benv(?:\b|_|[A-Z])|_env/i.test(`${name} ${description.trimStart().slice(0, 100)}`);
  return {
    rule: exposure.id,
    kind: isMeant ? 'capability' : 'bug',
    severity: isMeant ? 'note' : 'medium',
    tool: name,
    message: isMeant
      ? `The tool ${name} is made to show the environment`
      : `The answer of ${name} holds the whole environment`,
    location,
  };
}

/** `x.get('access_token')`, `x['api_key']`, `token`: the name of what is shown. */
function lastName(expr: Expr): string {
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
