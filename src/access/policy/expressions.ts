import { Environment, ParseError } from '@marcbachmann/cel-js';
import type { ASTNode } from '@marcbachmann/cel-js';
import { glob } from '../../lib/text/glob.js';
import { covers, overlaps, parseCidr } from '../../net/addresses/cidrs.js';
import { readHost } from '../../net/addresses/host-reading.js';

/** Variables of an expression. */
export interface Facts {
  readonly call: { readonly tool: string; readonly door: string };
  readonly tool: {
    readonly name: string;
    readonly source: string;
    readonly labels: readonly string[];
    readonly reads: boolean;
    readonly writes: boolean;
    readonly destroys: boolean;
    readonly open_world: boolean;
    /** Statements of the description, such as extensions of an API document. */
    readonly facts: Readonly<Record<string, unknown>>;
  };
  readonly principal: {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly roles: readonly string[];
    readonly scopes: readonly string[];
  };
  readonly args: Readonly<Record<string, unknown>>;
  /** `labels` is absent if a conversation touched more than are kept: expressions that read it then fail closed. */
  readonly session: { readonly id: string; readonly labels?: readonly string[] };
}

/** A compiled expression; `error` means that it could not be evaluated. */
export type Expression = (facts: Facts) => boolean | 'error';

type CompiledExpression =
  | {
      readonly ok: true;
      readonly test: Expression;
      /** Fields of `args` that it reads. */ readonly fields: readonly string[];
      /** Labels of the conversation on which it can depend. */ readonly sessionLabels: readonly string[] | 'all';
    }
  | { readonly ok: false; readonly problem: string };

const list = 'list<string>';
const shapes = {
  call: { tool: 'string', door: 'string' },
  tool: {
    name: 'string',
    source: 'string',
    labels: list,
    reads: 'bool',
    writes: 'bool',
    destroys: 'bool',
    open_world: 'bool',
    facts: 'map<string, dyn>',
  },
  principal: { id: 'string', name: 'string', kind: 'string', roles: list, scopes: list },
  session: { id: 'string', labels: list },
} as const;

const functions = (): Environment =>
  new Environment({
    limits: { maxAstNodes: 300, maxDepth: 32, maxListElements: 200, maxMapEntries: 50, maxCallArguments: 8 },
  })
    .registerVariable('args', 'map<string, dyn>')
    .registerFunction('glob(string, string): bool', (text: string, pattern: string) => {
      // The pattern may come from the arguments as well, and the cost is the product of both lengths.
      if (pattern.length > 256 || text.length > 65_536) throw new Error('too long');
      return glob(pattern)(text);
    })
    .registerFunction('in_cidr(string, string): bool', (text: string, network: string) => {
      const outer = parseCidr(network);
      const reading = readHost(text);
      // An error fails closed in every rule; false would let a deny rule pass what only another program can read.
      if (outer === undefined || reading.kind === 'unclear') throw new Error('not an address');
      if (reading.kind !== 'address') return false;
      const [first] = reading.networks;
      if (first !== undefined && reading.networks.every((inner) => covers(outer, inner))) return true;
      if (reading.networks.some((inner) => overlaps(outer, inner))) throw new Error('partly inside');
      return false;
    });

const environments = () => ({
  /** Typed environment that detects misspelt fields at load time. */
  strict: Object.entries(shapes).reduce((made, [name, schema]) => made.registerVariable({ name, schema }), functions()),
  /** Untyped environment for evaluation; faster because it neither copies nor checks types again. */
  swift: Object.keys(shapes).reduce((made, name) => made.registerVariable(name, 'map<string, dyn>'), functions()),
});
// Created with the first expression: most configurations have none, and creation slows the start.
let cachedEnvironments: ReturnType<typeof environments> | undefined;

const macros = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/** Compiles a boolean CEL expression; unknown names, wrong types and unbounded cost are reported as a problem. */
export function compileExpression(source: string): CompiledExpression {
  try {
    const { strict, swift } = (cachedEnvironments ??= environments());
    const checked = strict.check(source);
    if (!checked.valid) return { ok: false, problem: firstLine(checked.error?.message ?? 'is not a CEL expression') };
    if (checked.type !== 'bool' && checked.type !== 'dyn')
      return { ok: false, problem: `returns ${String(checked.type)}; it must return true or false` };
    const parsed = swift.parse(source);
    const found = inspectExpression(parsed.ast);
    if (found.problem !== undefined) return { ok: false, problem: found.problem };
    return {
      ok: true,
      fields: found.fields,
      sessionLabels: found.sessionLabels,
      test(facts) {
        try {
          const value: unknown = parsed(facts);
          return typeof value === 'boolean' ? value : 'error';
        } catch {
          return 'error';
        }
      },
    };
  } catch (error) {
    return {
      ok: false,
      problem:
        error instanceof ParseError || error instanceof Error ? firstLine(error.message) : 'is not a CEL expression',
    };
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

interface Inspection {
  readonly fields: readonly string[];
  readonly sessionLabels: readonly string[] | 'all';
  readonly problem?: string;
}

/** Collects the arguments and labels that an expression reads, and rejects constructs that cost more than one pass over the arguments. */
function inspectExpression(ast: ASTNode): Inspection {
  const fields = new Set<string>();
  const labels = new Set<string>();
  let allLabels = false;
  let problem: string | undefined;
  const visit = (value: unknown, loops: number): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, loops);
      return;
    }
    if (typeof value !== 'object' || value === null || !('op' in value) || !('args' in value)) return;
    const { op, args } = value;
    // Unary operators hold their operand without a list: `!args.x.matches(…)` must not escape the inspection.
    const parts: readonly unknown[] = Array.isArray(args) ? args : [args];
    const isMember = op === '.' && isIdentifier(parts[0], 'session');
    const wanted = op === 'in' && isSessionLabels(parts[1]) ? literal(parts[0]) : undefined;
    if (typeof wanted === 'string') {
      labels.add(wanted);
      return;
    }
    if (isIdentifier(value, 'session') || (isMember && parts[1] === 'labels')) allLabels = true;
    if (isMember) return;
    const called = op === 'call' || op === 'rcall' ? parts[0] : undefined;
    // The caller controls the text, so a backtracking regular expression would allow ReDoS.
    if (called === 'matches') problem ??= 'uses matches(), whose cost is not bounded; use glob(text, pattern)';
    const isLoop = op === 'rcall' && typeof called === 'string' && macros.has(called);
    if (isLoop && loops > 0) problem ??= 'nests loops, whose cost is not bounded';
    const field = op === '.' ? parts[1] : op === '[]' ? literal(parts[1]) : undefined;
    if (typeof field === 'string' && isIdentifier(parts[0], 'args')) fields.add(field);
    visit(parts, loops + (isLoop ? 1 : 0));
  };
  visit(ast, 0);
  return {
    fields: [...fields],
    sessionLabels: allLabels ? 'all' : [...labels],
    ...(problem !== undefined && { problem }),
  };
}

const isIdentifier = (node: unknown, name: string): boolean =>
  typeof node === 'object' && node !== null && 'op' in node && node.op === 'id' && 'args' in node && node.args === name;

const isSessionLabels = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  'op' in node &&
  node.op === '.' &&
  'args' in node &&
  Array.isArray(node.args) &&
  isIdentifier(node.args[0], 'session') &&
  node.args[1] === 'labels';

const literal = (node: unknown): unknown =>
  typeof node === 'object' && node !== null && 'op' in node && node.op === 'value' && 'args' in node
    ? node.args
    : undefined;
