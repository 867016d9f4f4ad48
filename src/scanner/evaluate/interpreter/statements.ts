import type { ForStmt, IfStmt, Stmt, SwitchStmt, TryStmt, WhileStmt } from '../../ir/nodes.js';
import { boundNames } from '../../ir/names.js';
import { withinStack } from './stack-guard.js';
import { assign } from './assign.js';
import { classFrom } from '../calls/classes.js';
import { evaluate, functionFrom } from './expressions.js';
import { applyDecorators } from '../calls/functions.js';
import { itemsOf } from '../values/items.js';
import { runUncertain, step, type Frame, type Machine } from './abstract-machine.js';
import { withNarrowing } from './path-conditions.js';
import { runExport, runImport } from '../modules/modules.js';
import { functionScope, scopeIn, type Scope } from '../values/scope.js';
import { join, undefinedValue, truth, unknown, type Value } from '../values/values.js';

/** Completion of a statement. */
type Ending = 'next' | 'return' | 'throw' | 'break' | 'continue';

/** Evaluates statements in order; JavaScript function declarations are hoisted. */
export function runBody(machine: Machine, body: readonly Stmt[], scope: Scope, frame: Frame): Ending {
  if (frame.run.module.language !== 'python') hoist(body, scope, frame);
  for (const stmt of body) {
    if (!step(machine)) return 'throw';
    const ending = runStmt(machine, stmt, scope, frame);
    if (ending !== 'next') return ending;
  }
  return 'next';
}

/**
 * Evaluates the top level of a module. Statements after an apparent early exit (a missing key, an unsupported platform) or
 * a stack overflow are evaluated too, so that neither hides a registration.
 */
export function runTop(machine: Machine, frame: Frame, onTooDeep: () => void): void {
  const { module, scope } = frame.run;
  if (module.language !== 'python') hoist(module.body, scope, frame);
  for (const stmt of module.body) {
    if (!step(machine)) return;
    withinStack(() => void runStmt(machine, stmt, scope, frame), onTooDeep);
  }
}

function hoist(body: readonly Stmt[], scope: Scope, frame: Frame): void {
  for (const stmt of body) {
    if (stmt.kind === 'function' && stmt.fn.name !== undefined)
      scope.vars.set(stmt.fn.name, functionFrom(stmt.fn, scope, frame));
  }
}

function runStmt(machine: Machine, stmt: Stmt, scope: Scope, frame: Frame): Ending {
  switch (stmt.kind) {
    case 'expr':
      evaluate(machine, stmt.value, scope, frame);
      return 'next';
    case 'assign':
      if (stmt.value)
        assign(machine, stmt.target, evaluate(machine, stmt.value, scope, frame), scope, frame, {
          op: stmt.op,
          declares: stmt.declares,
        });
      else if (stmt.declares && stmt.target.kind === 'name')
        declare(stmt.declares === 'var' ? functionScope(scope) : scope, stmt.target.name);
      return 'next';
    case 'return':
      frame.returned = join(frame.returned, stmt.value ? evaluate(machine, stmt.value, scope, frame) : undefinedValue);
      return 'return';
    case 'throw':
      if (stmt.value) evaluate(machine, stmt.value, scope, frame);
      return 'throw';
    case 'if':
      return runIf(machine, stmt, scope, frame);
    case 'for':
      return runFor(machine, stmt, scope, frame);
    case 'while':
      return runWhile(machine, stmt, scope, frame);
    case 'try':
      return runTry(machine, stmt, scope, frame);
    case 'with':
      for (const item of stmt.items) {
        const entered = evaluate(machine, item.context, scope, frame);
        if (item.target) assign(machine, item.target, entered, scope, frame, {});
      }
      return runBody(machine, stmt.body, scope, frame);
    case 'switch':
      return runSwitch(machine, stmt, scope, frame);
    case 'function':
      if (frame.run.module.language === 'python' && stmt.fn.name !== undefined) {
        assign(
          machine,
          { kind: 'name', name: stmt.fn.name, start: stmt.start, end: stmt.end },
          applyDecorators(machine, stmt.fn, scope, frame),
          scope,
          frame,
          {},
        );
      }
      return 'next';
    case 'class':
      if (stmt.cls.name !== undefined) {
        const made = classFrom(machine, stmt.cls, scope, frame);
        assign(machine, { kind: 'name', name: stmt.cls.name, start: stmt.start, end: stmt.end }, made, scope, frame, {
          declares: 'let',
        });
      }
      return 'next';
    case 'import':
      if (frame.run.module.language === 'python') runImport(machine, stmt, scope, frame);
      return 'next';
    case 'export':
      if (stmt.value) runExport(machine, stmt, frame);
      if (stmt.value) frame.run.exports.get('default')?.();
      return 'next';
    case 'block':
      return runBody(
        machine,
        stmt.body,
        frame.run.module.language === 'python' ? scope : scopeIn(scope, machine.level, false),
        frame,
      );
    case 'scope':
      scope.outward ??= new Set();
      for (const name of stmt.names) scope.outward.add(name);
      return 'next';
    case 'assert':
      return 'next';
    default:
      return stmt.kind;
  }
}

function declare(scope: Scope, name: string): void {
  if (!scope.vars.has(name)) scope.vars.set(name, undefinedValue);
}

const blockScope = (machine: Machine, scope: Scope, frame: Frame): Scope =>
  frame.run.module.language === 'python' ? scope : scopeIn(scope, machine.level, false);

function runIf(machine: Machine, stmt: IfStmt, scope: Scope, frame: Frame): Ending {
  const known = truth(evaluate(machine, stmt.test, scope, frame));
  if (known === true) return runBody(machine, stmt.yes, blockScope(machine, scope, frame), frame);
  if (known === false) return runBody(machine, stmt.no, blockScope(machine, scope, frame), frame);
  return runUncertain(machine, () => {
    const yes = withNarrowing(stmt.test, true, scope, () =>
      runBody(machine, stmt.yes, blockScope(machine, scope, frame), frame),
    );
    const no = withNarrowing(stmt.test, false, scope, () =>
      runBody(machine, stmt.no, blockScope(machine, scope, frame), frame),
    );
    // Control continues if either branch does.
    if (yes === 'next' || no === 'next') return 'next';
    return yes === 'throw' ? no : yes;
  });
}

const maxIterations = 3_000;

function runFor(machine: Machine, stmt: ForStmt, scope: Scope, frame: Frame): Ending {
  const iterable = evaluate(machine, stmt.iterable, scope, frame);
  const { items, open } = itemsOf(machine, iterable, stmt.over);
  for (const item of items.slice(0, maxIterations)) {
    const ending = runIteration(machine, stmt, item, scope, frame);
    if (ending === 'break') return 'next';
    if (ending === 'return' || ending === 'throw') return ending;
  }
  // The list may have more items: one abstract iteration stands for all of them.
  if (open) runUncertain(machine, () => runUnknownIteration(machine, stmt, scope, frame));
  runBody(machine, stmt.else, scope, frame);
  return 'next';
}

/** Extra iteration with an unknown item for an open list; the previous loop variable is removed first. */
function runUnknownIteration(machine: Machine, stmt: ForStmt, scope: Scope, frame: Frame): void {
  if (frame.run.module.language === 'python')
    for (const name of boundNames(stmt.target)) functionScope(scope).vars.delete(name);
  runIteration(machine, stmt, unknown('loop item'), scope, frame);
}

function runIteration(machine: Machine, stmt: ForStmt, item: Value, scope: Scope, frame: Frame): Ending {
  const own = blockScope(machine, scope, frame);
  assign(machine, stmt.target, item, own, frame, { declares: stmt.declares });
  return runBody(machine, stmt.body, own, frame);
}

function runWhile(machine: Machine, stmt: WhileStmt, scope: Scope, frame: Frame): Ending {
  const own = blockScope(machine, scope, frame);
  runBody(machine, stmt.init, own, frame);
  // An endless loop waits for events: two iterations are enough.
  const isEndless = !stmt.test || stmt.test.kind === 'literal';
  for (let turns = 0; turns < (isEndless ? 2 : maxIterations); turns += 1) {
    const known = stmt.test ? truth(evaluate(machine, stmt.test, own, frame)) : undefined;
    if (known === false) return 'next';
    const ending =
      known === true
        ? runBody(machine, stmt.body, blockScope(machine, own, frame), frame)
        : runUncertain(machine, () => runBody(machine, stmt.body, blockScope(machine, own, frame), frame));
    // An unknown condition runs the body once: the result would not change with more turns.
    if (known !== true || ending === 'break') return 'next';
    if (ending === 'return' || ending === 'throw') return ending;
    if (stmt.update) evaluate(machine, stmt.update, own, frame);
    if (!step(machine)) return 'throw';
  }
  return 'next';
}

function runTry(machine: Machine, stmt: TryStmt, scope: Scope, frame: Frame): Ending {
  const ending = runBody(machine, stmt.body, blockScope(machine, scope, frame), frame);
  for (const handler of stmt.handlers) {
    runUncertain(machine, () => {
      // Any statement of the body may have thrown, so the handler is uncertain.
      const own = blockScope(machine, scope, frame);
      if (handler.param) assign(machine, handler.param, unknown('error'), own, frame, { declares: 'let' });
      runBody(machine, handler.body, own, frame);
    });
  }
  if (ending === 'next') runBody(machine, stmt.else, blockScope(machine, scope, frame), frame);
  runBody(machine, stmt.finally, blockScope(machine, scope, frame), frame);
  return ending === 'throw' && stmt.handlers.length > 0 ? 'next' : ending;
}

function runSwitch(machine: Machine, stmt: SwitchStmt, scope: Scope, frame: Frame): Ending {
  const subject = evaluate(machine, stmt.subject, scope, frame);
  const own = blockScope(machine, scope, frame);
  const known = subject.kind === 'constant' ? subject.value : undefined;
  let running = false;
  let certain = subject.kind === 'constant';
  for (const one of stmt.cases) {
    if (!running || !certain) {
      const tests = one.tests.map((test) => evaluate(machine, test, own, frame));
      // A computed case label may equal any subject: from here on every case is possible.
      if (tests.some((test) => test.kind !== 'constant')) certain = false;
      running =
        !certain || tests.length === 0 || tests.some((test) => test.kind === 'constant' && test.value === known);
    }
    if (!running) continue;
    const ending = certain
      ? runBody(machine, one.body, own, frame)
      : runUncertain(machine, () => runBody(machine, one.body, own, frame));
    if (!certain) continue;
    if (ending === 'break') return 'next';
    if (ending !== 'next') return ending;
    if (!stmt.fallsThrough) return 'next';
  }
  return 'next';
}
