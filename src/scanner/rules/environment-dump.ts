import { dottedName } from '../ir/names.js';
import type { Expr, FunctionNode } from '../ir/nodes.js';
import { walk } from '../ir/walk.js';

/** Calls that only convert or format data. */
const formattingCall =
  /(?:^|\.)(?:dict|list|str|repr|sorted|tuple|json\.dumps|dumps|pformat|JSON\.stringify|stringify|Object\.(?:entries|fromEntries|assign)|String|join|format|map|copy|items|model_dump_json|TextContent)$/;
const isEnvironment = (expr: Expr): boolean => /^(?:os\.environ|process\.env)$/.test(dottedName(expr) ?? '');
const secretName = /KEY|SECRET|PASSWORD|TOKEN/i;

/** The expression by which a function returns all environment variables, if it does. */
export function findEnvironmentDump(fn: FunctionNode, textOf: (expr: Expr) => string): Expr | undefined {
  const dumpByName = new Map<string, Expr>();
  const dumpIn = (expr: Expr | undefined): Expr | undefined => {
    switch (expr?.kind) {
      case 'name':
        return dumpByName.get(expr.name);
      case 'await':
        return dumpIn(expr.value);
      case 'call': {
        const object = expr.callee.kind === 'member' ? expr.callee.object : undefined;
        const called = expr.callee.kind === 'member' ? expr.callee.property : (dottedName(expr.callee) ?? '');
        if (object && isEnvironment(object)) return /^(?:copy|items)$/.test(called) ? expr : undefined;
        if (!formattingCall.test(called)) return undefined;
        if (expr.args.some((arg) => isEnvironment(arg.value))) return expr;
        return first([...expr.args.map((arg) => arg.value), ...(object ? [object] : [])]);
      }
      case 'dict':
        if (expr.entries.some((entry) => !entry.key && isEnvironment(entry.value))) return expr;
        return first(expr.entries.map((entry) => entry.value));
      case 'list':
        return first(expr.items.map((item) => item.value));
      case 'template':
        return first(expr.parts.filter((part) => typeof part !== 'string'));
      case 'binary':
        return first([expr.left, expr.right]);
      case 'comprehension': {
        const [clause] = expr.clauses;
        // A filter for chosen names is harmless; a filter that selects secrets is the attack.
        const isAll =
          clause && clause.conditions.every((test) => secretName.test(textOf(test)) && !/\bnot\b/.test(textOf(test)));
        return isAll && dumpIn(clause.iterable) ? expr : undefined;
      }
      default:
        return undefined;
    }
  };
  const first = (exprs: readonly Expr[]): Expr | undefined =>
    exprs.reduce<Expr | undefined>((found, each) => found ?? dumpIn(each), undefined);
  let result: Expr | undefined;
  walk(fn.body, {
    fn: () => false,
    stmt: (stmt) => {
      if (stmt.kind === 'return') result ??= dumpIn(stmt.value);
      if (stmt.kind !== 'assign') return;
      const { target } = stmt;
      const owner =
        target.kind === 'name'
          ? target
          : (target.kind === 'member' || target.kind === 'index') && target.object.kind === 'name'
            ? target.object
            : undefined;
      const dump = dumpIn(stmt.value);
      if (owner && dump) dumpByName.set(owner.name, dump);
    },
  });
  return result;
}
