import type { Language } from '../ir/nodes.js';
import type { Place } from '../evaluate/values.js';
import { anyPath, danger, type Fact } from './facts.js';
import { javascriptSinks } from './sinks-javascript.js';
import { pageScriptSink } from './page-scripts.js';
import { processSink } from './processes.js';
import { pythonSinks } from './sinks-python.js';
import { querySink } from './queries.js';

/** The taint rules by what they speak of. */
export type TaintRule =
  | 'command'
  | 'code'
  | 'path'
  | 'url'
  | 'sql'
  | 'deserialise'
  | 'template'
  | 'query'
  | 'module'
  | 'archive'
  | 'argument'
  | 'link';

/** The bits that make a rule fire. */
export const dangerOf: Readonly<Record<TaintRule, number>> = {
  command: danger.command,
  code: danger.code,
  path: anyPath,
  url: danger.url,
  sql: danger.sql,
  deserialise: danger.deserialise,
  template: danger.template,
  query: danger.query,
  module: danger.module,
  archive: danger.archive,
  argument: danger.argument,
  link: 0,
};

/** A call as the sinks see it. */
export interface SeenCall {
  /** Spelled as by `nameOfValue`, or `?.method` where the receiver is not known. */
  readonly name: string;
  readonly args: readonly Fact[];
  readonly named: ReadonlyMap<string, Fact>;
  readonly receiver?: Fact | undefined;
  readonly at: Place;
  readonly language: Language;
  readonly isNew: boolean;
  /** The known string of a fact, if it is one. */
  readonly textOf: (fact: Fact | undefined) => string | undefined;
}

/** Tainted text about to be used in a dangerous place. */
export interface Hit {
  readonly rule: TaintRule;
  readonly facts: readonly Fact[];
  /** What the place is, for the message. */
  readonly what: string;
  /** The file is written, removed or moved, not only read. */
  readonly writes?: boolean;
  /** The code runs in a page of a browser, not in the server. */
  readonly inPage?: boolean;
  /** The program is named, and no shell reads the words again. */
  readonly isProgram?: boolean;
}

/** One row of a table: which arguments of a function are dangerous. */
export interface SinkRow {
  readonly rule: TaintRule;
  readonly args?: readonly number[];
  readonly named?: readonly string[];
  readonly writes?: boolean;
  readonly receiver?: boolean;
  /** Applies only where this holds. */
  readonly when?: (call: SeenCall) => boolean;
}

const tables = { python: pythonSinks, javascript: javascriptSinks, typescript: javascriptSinks } as const;

/** Where a call uses its arguments dangerously. */
export function sinksOf(call: SeenCall): readonly Hit[] {
  const found = [...processSink(call), ...querySink(call), ...pageScriptSink(call)];
  const row = tables[call.language](call.name);
  if (row && (row.when?.(call) ?? true)) {
    const facts = [
      ...(row.args ?? []).flatMap((at) => call.args[at] ?? []),
      ...(row.named ?? []).flatMap((key) => call.named.get(key) ?? optionField(call, key) ?? []),
      ...(row.receiver && call.receiver ? [call.receiver] : []),
    ];
    if (facts.length > 0)
      found.push({
        rule: row.rule,
        facts,
        what: call.name.replace(/^\?\./, ''),
        ...(row.writes ? { writes: true } : {}),
      });
  }
  return found;
}

/** An option in the object that JavaScript passes for named arguments. */
export function optionField(call: SeenCall, key: string): Fact | undefined {
  for (const fact of call.args.toReversed()) {
    const found = fact.fields?.get(key);
    if (found) return found;
  }
  return undefined;
}
