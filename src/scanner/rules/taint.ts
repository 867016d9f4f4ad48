import type { Flow } from '../taint/run.js';
import type { TaintRule } from '../taint/sinks.js';
import { purposeOf } from './purpose.js';
import { severities, type Finding, type Rule, type Scanned, type Severity } from './rule.js';

/** A rule over the flows of one kind. */
export function taintRule(
  kind: TaintRule,
  meta: Omit<Rule, 'find'>,
  harm: string,
  severityOf: (flow: Flow) => Severity = () => meta.severity,
): Rule {
  return {
    ...meta,
    find: (scanned) => {
      const flows = flowsIn(scanned, kind);
      if (flows.length === 0) return [];
      const isGiven = isGivenAway(scanned, kind);
      return together(
        flows.map((flow) =>
          toFinding(meta.id, flow, harm, isGiven ? atMost('medium', severityOf(flow)) : severityOf(flow)),
        ),
      );
    },
  };
}

const atMost = (limit: Severity, severity: Severity): Severity =>
  severities.indexOf(severity) < severities.indexOf(limit) ? limit : severity;
const runsAnything: readonly TaintRule[] = ['command', 'code'];
const byRunning: readonly TaintRule[] = ['command', 'code', 'path', 'module', 'deserialise', 'template', 'archive'];

/** Whether another tool of the server hands out this very power on purpose, so that a mistake adds nothing to it. */
function isGivenAway(scanned: Scanned, kind: TaintRule): boolean {
  const gives = kind === 'sql' ? ['sql'] : byRunning.includes(kind) ? runsAnything : [];
  return scanned.entries.some(({ result }) =>
    result.flows.some((flow) => gives.includes(flow.rule) && purposeOf(flow) === 'by design'),
  );
}

/** Several parameters that reach one place in one tool are one finding, told by the worst of them. */
function together(findings: readonly Finding[]): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.location.file}:${finding.location.startLine} ${finding.tool ?? ''}`;
    const before = found.get(key);
    const [first, second] =
      before && severities.indexOf(before.severity) <= severities.indexOf(finding.severity)
        ? [before, finding]
        : [finding, before];
    found.set(
      key,
      second
        ? {
            ...first,
            message: `${first.message}${first.message.includes(' Also: ') ? `, ${second.param ?? ''}` : ` Also: ${second.param ?? ''}`}`,
          }
        : first,
    );
  }
  return [...found.values()];
}

function flowsIn(scanned: Scanned, kind: TaintRule): readonly Flow[] {
  return scanned.entries.flatMap(({ result }) => result.flows.filter((flow) => flow.rule === kind));
}

const words = { tool: 'tool', prompt: 'prompt', resource: 'resource', template: 'resource' } as const;

/** What is wrong with a check that was made, as far as that is known. */
const pastCheck = (flow: Flow): string =>
  flow.isPrefixed && flow.rule === 'path'
    ? ' past a check of its beginning that also lets in folders beside the one that was meant'
    : flow.judged
      ? ' past a check that does not hold'
      : '';

function toFinding(rule: string, flow: Flow, harm: string, severity: Severity): Finding {
  const { entry } = flow;
  const purpose = purposeOf(flow);
  const isMeant = purpose === 'by design';
  const who = `${words[entry.kind]} ${entry.name}`;
  const message = isMeant
    ? `The ${who} is made to do this: ${flow.param} reaches ${flow.what}. ${harm}`
    : `${flow.param} of the ${who} reaches ${flow.what}${pastCheck(flow)}. ${harm}`;
  return {
    rule,
    kind: isMeant ? 'capability' : 'bug',
    severity: isMeant ? 'note' : purpose === 'fenced' ? atMost('medium', severity) : severity,
    message,
    location: flow.at,
    tool: entry.name,
    param: flow.param,
    flow: flow.steps,
  };
}
