import { posix } from 'node:path';
import type { ExportStmt, ImportStmt, Stmt } from '../../ir/nodes.js';
import type { Frame, Machine, ModuleRun } from '../interpreter/abstract-machine.js';
import { bind, lookup, scopeIn, type Scope } from '../values/scope.js';
import { withinStack } from '../interpreter/stack-guard.js';
import { runTop } from '../interpreter/statements.js';
import { evaluate } from '../interpreter/expressions.js';
import { external, join, undefinedValue, object, unknown, type Value } from '../values/values.js';
import { memberOf } from '../values/members.js';
import { dottedPath } from '../builtins/discovery.js';

/** Evaluates a module once; in an import cycle the partially evaluated module is returned. */
export function runModule(machine: Machine, path: string, isMain = false): ModuleRun | undefined {
  const before = machine.runs.get(path);
  if (before) return before;
  const module = machine.project.modules.get(path);
  if (!module) return undefined;
  const run: ModuleRun = {
    module,
    scope: scopeIn(undefined, 0, true),
    exports: new Map(),
    commonjs: object(),
    done: false,
  };
  // Registered before it is evaluated: a cyclic import then finds the partial module instead of recursing.
  machine.runs.set(path, run);
  if (module.language === 'python')
    // `if __name__ == "__main__"` starts most Python servers, so the entry must evaluate that branch.
    bind(run.scope, '__name__', { kind: 'constant', value: isMain ? '__main__' : dottedPath(path) }, 0);
  else {
    const holder = object([['exports', run.commonjs]]);
    bind(run.scope, 'module', holder, 0);
    bind(run.scope, 'exports', run.commonjs, 0);
  }
  const frame: Frame = { run, returned: undefined, yielded: [], isGenerator: false };
  // A module body is certain to run, whatever condition imported it.
  const { level, allowance, depth } = machine;
  const unbound = { level: 0, allowance: Number.POSITIVE_INFINITY, depth };
  Object.assign(machine, unbound);
  const onTooDeep = (): void => {
    machine.unfinished.add(path);
    Object.assign(machine, unbound);
  };
  // ES imports are hoisted: functions may use them before their line is reached.
  if (module.language !== 'python') withinStack(() => linkImports(machine, module.body, frame), onTooDeep);
  runTop(machine, frame, onTooDeep);
  machine.level = level;
  machine.allowance = allowance;
  // `module.exports = x` replaces the object, so it is read again after the run.
  const holder = lookup(run.scope, 'module');
  if (holder?.kind === 'object') run.commonjs = holder.props.get('exports') ?? run.commonjs;
  run.done = true;
  return run;
}

/** Links ES imports and exports before evaluation. */
function linkImports(machine: Machine, body: readonly Stmt[], frame: Frame): void {
  for (const stmt of body) {
    if (stmt.kind === 'import') runImport(machine, stmt, frame.run.scope, frame);
    if (stmt.kind === 'export') runExport(machine, stmt, frame);
  }
}

/** Binds the names of an import. */
export function runImport(machine: Machine, stmt: ImportStmt, scope: Scope, frame: Frame): void {
  // Types exist at compile time only; evaluating their module could have effects the program never has.
  if (stmt.typeOnly) return bindTypes(stmt, scope);
  const from = frame.run.module.path;
  const isPython = frame.run.module.language === 'python';
  const path = machine.project.resolve(from, stmt.source);
  const run = path === undefined ? undefined : runModule(machine, path);
  for (const { imported, local } of stmt.bindings) {
    if (imported === '*all') {
      for (const [name, read] of run ? exportsOf(machine, run) : []) bind(scope, name, read() ?? undefinedValue, 0);
    } else if (imported === '*') bindModule(machine, scope, local, stmt.source, path, frame);
    else if (run)
      scope.vars.set(
        local,
        // In a cycle the name may be a submodule that is not bound yet.
        (!run.done && !run.scope.vars.has(imported) ? submodule(machine, from, stmt.source, imported) : undefined) ??
          link(machine, run, imported) ??
          submodule(machine, from, stmt.source, imported) ??
          external(stmt.source, [imported]),
      );
    else
      scope.vars.set(
        local,
        (isPython ? submodule(machine, from, stmt.source, imported) : undefined) ??
          external(stmt.source, imported === 'default' ? [] : [imported]),
      );
  }
}

/** Binds type-only imports: a type annotation identifies the SDK class of a parameter. */
function bindTypes(stmt: ImportStmt, scope: Scope): void {
  for (const { imported, local } of stmt.bindings)
    if (local)
      scope.vars.set(local, external(stmt.source, imported === '*' || imported === 'default' ? [] : [imported]));
}

function bindModule(
  machine: Machine,
  scope: Scope,
  local: string,
  source: string,
  path: string | undefined,
  frame: Frame,
): void {
  const [head = local, ...rest] = local.split('.');
  if (frame.run.module.language !== 'python' || rest.length === 0) {
    scope.vars.set(local, path === undefined ? external(source) : { kind: 'module', path });
    return;
  }
  const top = machine.project.resolve(frame.run.module.path, head);
  if (top !== undefined) runModule(machine, top);
  // `import a.b` and `import a.c` share the name `a`: the second must not replace the first.
  if (!scope.vars.has(head))
    scope.vars.set(
      head,
      top === undefined
        ? path === undefined
          ? external(head)
          : packagePath(rest, path)
        : { kind: 'module', path: top },
    );
}

/** `import a.b.c` of a namespace package (no `__init__.py`): nested objects down to the module. */
function packagePath(rest: readonly string[], path: string): Value {
  return rest.toReversed().reduce<Value>((inner, name) => object([[name, inner]]), { kind: 'module', path });
}

/** `from package import module`. */
function submodule(machine: Machine, from: string, source: string, name: string): Value | undefined {
  const path = machine.project.resolve(from, source.endsWith('.') ? `${source}${name}` : `${source}.${name}`);
  return path !== undefined && path.endsWith('.py') && runModule(machine, path) ? { kind: 'module', path } : undefined;
}

/** Live binding to an export of a module that is still being evaluated; resolved on use. */
function link(machine: Machine, run: ModuleRun, name: string): Value | undefined {
  // Finished modules need no link: their exports do not change any more.
  if (run.done) return exportedValue(machine, run, name);
  return { kind: 'module', path: `${run.module.path}\u0000${name}` };
}

/** Resolves a live binding to its current value. */
export function resolveLink(machine: Machine, value: Value): Value {
  if (value.kind !== 'module' || !value.path.includes('\u0000')) return value;
  // Cyclic imports would resolve each other forever.
  if (machine.following.has(value.path)) return unknown('circular import');
  machine.following.add(value.path);
  const [path = '', name = ''] = value.path.split('\u0000');
  const run = machine.runs.get(path);
  const found = (run && exportedValue(machine, run, name)) ?? value;
  machine.following.delete(value.path);
  return found;
}

/** Exported value by name; `default` of a CommonJS module is its `module.exports`. */
export function exportedValue(machine: Machine, run: ModuleRun, name: string): Value | undefined {
  if (run.module.language === 'python') return moduleName(machine, run, name);
  const direct = run.exports.get(name)?.();
  if (direct) return direct;
  const holder = lookup(run.scope, 'module');
  const commonjs = holder?.kind === 'object' ? (holder.props.get('exports') ?? run.commonjs) : run.commonjs;
  // An untouched `module.exports` belongs to an ES module and exports nothing.
  const isPlain = commonjs.kind === 'object' && commonjs.props.size === 0 && commonjs.getters.size === 0;
  if (!isPlain) {
    const member = memberOf(machine, commonjs, name);
    if (member.kind !== 'unknown' && !(member.kind === 'constant' && member.value === undefined)) return member;
    // ES import of CommonJS: the default export is `module.exports` itself.
    if (name === 'default') return commonjs;
  }
  for (const [key, read] of run.exports) {
    if (!key.startsWith('*')) continue;
    const target = read();
    const inner = target?.kind === 'module' ? machine.runs.get(target.path) : undefined;
    const found = inner && exportedValue(machine, inner, name);
    if (found) return found;
    // A star export of a package may supply any name.
    if (target?.kind === 'external') return external(target.source, [...target.path, name]);
  }
  return undefined;
}

function moduleName(machine: Machine, run: ModuleRun, name: string): Value | undefined {
  const value = lookup(run.scope, name);
  if (value) return resolveLink(machine, value);
  const folder = run.module.path.endsWith('__init__.py') ? posix.dirname(run.module.path) : undefined;
  if (folder === undefined) return undefined;
  for (const path of [posix.join(folder, `${name}.py`), posix.join(folder, name, '__init__.py')]) {
    if (machine.project.modules.has(path) && runModule(machine, path)) return { kind: 'module', path };
  }
  return undefined;
}

/** All exports of a module, including re-exports. */
export function exportsOf(machine: Machine, run: ModuleRun): Map<string, () => Value | undefined> {
  if (run.module.language === 'python') {
    return new Map(
      [...run.scope.vars]
        // `import *` leaves out private names.
        .filter(([name]) => !name.startsWith('_'))
        .map(([name, value]) => [name, () => resolveLink(machine, value)]),
    );
  }
  const all = new Map<string, () => Value | undefined>();
  for (const [name, read] of run.exports) {
    if (!name.startsWith('*')) all.set(name, read);
    const target = name.startsWith('*') ? read() : undefined;
    const inner = target?.kind === 'module' ? machine.runs.get(target.path) : undefined;
    // A module that re-exports itself would recurse forever.
    if (inner && inner !== run)
      for (const [key, value] of exportsOf(machine, inner)) if (key !== 'default') all.set(key, value);
  }
  if (run.commonjs.kind === 'object') {
    const { commonjs } = run;
    for (const key of [...commonjs.props.keys(), ...commonjs.getters.keys()])
      if (!all.has(key)) all.set(key, () => memberOf(machine, commonjs, key));
  }
  return all;
}

/** Registers exports as live bindings. */
export function runExport(machine: Machine, stmt: ExportStmt, frame: Frame): void {
  const { run } = frame;
  if (stmt.source !== undefined) {
    const path = machine.project.resolve(run.module.path, stmt.source);
    const target = path === undefined ? undefined : runModule(machine, path);
    for (const { local, exported: name } of stmt.names) {
      if (local === '*all')
        run.exports.set(`*${stmt.source}`, () =>
          path === undefined ? external(stmt.source ?? '') : { kind: 'module', path },
        );
      else if (local === '*')
        run.exports.set(name, () => (path === undefined ? external(stmt.source ?? '') : { kind: 'module', path }));
      else
        run.exports.set(name, () =>
          target
            ? exportedValue(machine, target, local)
            : external(stmt.source ?? '', local === 'default' ? [] : [local]),
        );
    }
    return;
  }
  if (stmt.value) {
    const { value } = stmt;
    let made: Value | undefined;
    // Evaluated on first use: the expression may refer to names that are bound later.
    run.exports.set('default', () => (made ??= evaluate(machine, value, run.scope, frame)));
    return;
  }
  for (const { local, exported: name } of stmt.names) {
    run.exports.set(name, () => {
      const value = lookup(run.scope, local);
      return value && resolveLink(machine, value);
    });
  }
}

/** Evaluates every module under a folder, for an import with a computed last part. */
export function runFolder(machine: Machine, prefix: string, extension: RegExp): Value {
  let found: Value = undefinedValue;
  for (const path of machine.project.modules.keys()) {
    if (!path.startsWith(prefix) || !extension.test(path) || path.endsWith('__init__.py')) continue;
    if (runModule(machine, path)) found = join(found, { kind: 'module', path });
  }
  return found;
}
