import type { Language } from '../../ir/nodes.js';
import type { Place } from '../../evaluate/values/values.js';
import { anyPath, danger, type Fact } from '../facts/facts.js';
import { conditions } from './conditions.js';
import { sinkModel, type SinkKind } from './models.js';
import { pageScriptSink } from './page-script-sinks.js';
import { processSink } from './process-sinks.js';
import { querySink } from './query-sinks.js';

/** Taint rules by vulnerability class. */
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
  | 'link'
  | 'environment'
  /** Not a vulnerability: a callee that was not followed received the data. */
  | 'unfollowed';

/** Bits a taint must have to be safe at a sink of a rule; a missing bit is a finding. */
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
  environment: danger.environment,
  unfollowed: 0,
};

/** Call as matched against the model tables. */
export interface CallSite {
  /** Qualified name, or `?.method` if the receiver is unknown. */
  readonly name: string;
  readonly args: readonly Fact[];
  readonly named: ReadonlyMap<string, Fact>;
  readonly receiver?: Fact | undefined;
  readonly at: Place;
  readonly language: Language;
  readonly isNew: boolean;
  /** String constant of a fact, if it is one. */
  readonly textOf: (fact: Fact | undefined) => string | undefined;
}

/** Arguments that reach a sink; whether they are tainted is decided by the caller. */
export interface Hit {
  readonly rule: TaintRule;
  readonly facts: readonly Fact[];
  /** Name of the sink, for the message. */
  readonly what: string;
  /** The file is written, removed or moved, not only read. */
  readonly writes?: boolean;
  /** The code runs in a browser page, not in the server process. */
  readonly inPage?: boolean;
  /** The caller chooses the program, but no shell parses the arguments. */
  readonly isProgram?: boolean;
}

const ruleOf: Readonly<Record<SinkKind, TaintRule>> = {
  'sink:code': 'code',
  'sink:path': 'path',
  'sink:path-write': 'path',
  'sink:url': 'url',
  'sink:deserialise': 'deserialise',
  'sink:template': 'template',
  'sink:module': 'module',
  'sink:archive': 'archive',
  'sink:query': 'query',
  'sink:environment': 'environment',
};

/** Sinks of a call: table rows plus the sinks that need code. */
export function sinksOf(call: CallSite): readonly Hit[] {
  const found = [...processSink(call), ...querySink(call), ...pageScriptSink(call)];
  const row = sinkModel(call.language, call.name);
  if (row && (row.condition === undefined || conditions[row.condition](call))) {
    const facts = [
      ...row.positions.flatMap((at) => call.args[at] ?? []),
      ...row.names.flatMap((key) => call.named.get(key) ?? optionField(call, key) ?? []),
      ...(row.isReceiver && call.receiver ? [call.receiver] : []),
    ];
    const writes = row.kind === 'sink:path-write';
    if (facts.length > 0)
      found.push({
        rule: ruleOf[row.kind],
        facts,
        what: call.name.replace(/^\?\./, ''),
        ...(writes ? { writes } : {}),
      });
  }
  return found;
}

/** Field of an options object, the JavaScript form of named arguments. */
export function optionField(call: CallSite, key: string): Fact | undefined {
  for (const fact of call.args.toReversed()) {
    const found = fact.fields?.get(key);
    if (found) return found;
  }
  return undefined;
}
