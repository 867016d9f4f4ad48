import type { Expr, FunctionNode, Module } from '../ir/nodes.js';
import type { Location } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import { locationAt, nodeLocation } from './module-search.js';

/** Names of values that are credentials. */
export const credentialName =
  /(?:^|[_.-])(?:access_?token|refresh_?token|auth_?token|api_?key|secret(?:_?key)?|password|passwd|private_?key|token|credentials?)$/i;
/** Text before a value that names it as a credential. */
const credentialLabel = /(?:token|api[ _-]?key|password|secret|bearer|credential)[^\n]{0,24}[:=]?\s*(?:Bearer )?$/i;
/** Names such as `token_count` and `next_page_token` are no credentials. */
const harmlessName = /count|used|limit|usage|length|total|max|num|budget|page|next|cursor|continuation|sync/i;
/** Calls that pass their argument into a result. */
const formatting = /(?:^|\.)(?:dumps|stringify|str|repr|String|TextContent|format|join|jsonify)$/;

/** A credential in the result of a function, by name. */
interface ReturnedCredential {
  readonly name: string;
  readonly at: Location;
}

/** Credentials in what a function returns: labelled in a text, or constants of the module that come from the environment. */
export function returnedCredentials(fn: FunctionNode, module: Module): readonly ReturnedCredential[] {
  const found: ReturnedCredential[] = [];
  // Texts that a variable holds, so that a result built in two steps is found.
  const held = new Map<string, Expr>();
  const roots: Expr[] = [];
  walk(fn.body, {
    stmt: (stmt) => {
      if (stmt.kind === 'return' && stmt.value) roots.push(stmt.value);
      if (stmt.kind === 'assign' && stmt.target.kind === 'name' && stmt.value?.kind === 'template')
        held.set(stmt.target.name, stmt.value);
    },
  });
  const add = (part: Expr, whole: Expr): void => {
    const at = part.end > part.start ? nodeLocation(module, part) : locationAt(module, whole.start);
    found.push({ name: fieldNameOf(part), at });
  };
  const visit = (expr: Expr, depth: number): void => {
    if (depth > 8) return;
    switch (expr.kind) {
      case 'name': {
        const text = held.get(expr.name);
        // Visited once, which also ends cycles.
        held.delete(expr.name);
        if (text) visit(text, depth + 1);
        break;
      }
      case 'await':
        visit(expr.value, depth + 1);
        break;
      case 'binary':
        visit(expr.left, depth + 1);
        visit(expr.right, depth + 1);
        break;
      case 'conditional':
        visit(expr.yes, depth + 1);
        visit(expr.no, depth + 1);
        break;
      case 'list':
        for (const { value } of expr.items) visit(value, depth + 1);
        break;
      case 'dict':
        for (const { key, value } of expr.entries) {
          if (key?.kind === 'literal' && credentialName.test(String(key.value)) && isEnvironmentConstant(value, module))
            add(value, expr);
          visit(value, depth + 1);
        }
        break;
      case 'call': {
        const called =
          expr.callee.kind === 'member' ? expr.callee.property : expr.callee.kind === 'name' ? expr.callee.name : '';
        // Other calls may hash or shorten the value.
        if (formatting.test(called)) for (const { value } of expr.args) visit(value, depth + 1);
        break;
      }
      case 'template':
        expr.parts.forEach((part, at) => {
          if (typeof part === 'string') return;
          const before = expr.parts[at - 1];
          const label = typeof before === 'string' ? before.slice(-60) : '';
          const isNamed = credentialName.test(fieldNameOf(part)) && !harmlessName.test(fieldNameOf(part));
          if (isNamed && (credentialLabel.test(label) || isEnvironmentConstant(part, module))) add(part, expr);
        });
        break;
      default:
    }
  };
  for (const root of roots) visit(root, 0);
  return found;
}

/** A constant of the module that is read from the environment: `API_KEY = os.environ["API_KEY"]`. */
function isEnvironmentConstant(expr: Expr, { text }: Module): boolean {
  if (expr.kind !== 'name' || !credentialName.test(expr.name) || !/^\w+$/.test(expr.name)) return false;
  return new RegExp(
    `^(?:export )?(?:const |let |var )?${expr.name}\\s*(?::[^=\\n]*)?=\\s*(?:process\\.env\\b|os\\.(?:environ|getenv))`,
    'm',
  ).test(text);
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
