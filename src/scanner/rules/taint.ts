import type { Flow } from '../taint/run.js';
import type { TaintRule } from '../taint/sinks.js';
import { purposeOf } from './purpose.js';
import type { Finding, Rule, Scanned, Severity } from './rule.js';

/** A rule over the flows of one kind. */
export function taintRule(kind: TaintRule, meta: Omit<Rule, 'find'>, harm: string, severityOf: (flow: Flow) => Severity = () => meta.severity): Rule {
  return { ...meta, find: (scanned) => flowsIn(scanned, kind).map((flow) => toFinding(meta.id, flow, harm, severityOf(flow))) };
}

function flowsIn(scanned: Scanned, kind: TaintRule): readonly Flow[] {
  return scanned.entries.flatMap(({ result }) => result.flows.filter((flow) => flow.rule === kind));
}

const words = { tool: 'tool', prompt: 'prompt', resource: 'resource', template: 'resource' } as const;

function toFinding(rule: string, flow: Flow, harm: string, severity: Severity): Finding {
  const { entry } = flow;
  const isMeant = purposeOf(flow) === 'by design';
  const who = `${words[entry.kind]} ${entry.name}`;
  const message = isMeant
    ? `The ${who} is made to do this: ${flow.param} reaches ${flow.what}. ${harm}`
    : `${flow.param} of the ${who} reaches ${flow.what}${flow.judged ? ' past a check that does not hold' : ''}. ${harm}`;
  return { rule, kind: isMeant ? 'capability' : 'bug', severity: isMeant ? 'note' : severity, message, location: flow.at, tool: entry.name, param: flow.param, flow: flow.steps };
}
