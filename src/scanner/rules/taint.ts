import type { Flow } from '../taint/run.js';
import type { TaintRule } from '../taint/sinks.js';
import { purposeOf, saysItQueries, saysItRuns } from './purpose.js';
import { severities, type Finding, type Rule, type Scanned, type Severity } from './rule.js';

/** A rule over the flows of one kind. */
export function taintRule(
  kind: TaintRule,
  meta: Omit<Rule, 'find'>,
  harm: string | ((flow: Flow) => string),
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
          toFinding(
            meta.id,
            flow,
            typeof harm === 'string' ? harm : harm(flow),
            isGiven ? atMost('medium', severityOf(flow)) : severityOf(flow),
          ),
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
  return scanned.entries.some(
    ({ entry, result }) =>
      (gives === runsAnything && saysItRuns(entry)) ||
      (kind === 'sql' && saysItQueries(entry)) ||
      result.flows.some((flow) => gives.includes(flow.rule) && purposeOf(flow) === 'by design'),
  );
}

/** Whatever reaches one place is one fault to mend, told by the worst of its ways; a power is told for each tool that has it. */
function together(findings: readonly Finding[]): readonly Finding[] {
  const places = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { file, startLine } = finding.location;
    const key = `${file}:${startLine} ${finding.kind === 'capability' ? (finding.tool ?? '') : ''}`;
    places.set(key, [...(places.get(key) ?? []), finding]);
  }
  return [...places.values()].map(asOne);
}

const namedTools = 6;

function asOne(findings: readonly Finding[]): Finding {
  const worst = findings.reduce((one, other) =>
    severities.indexOf(other.severity) < severities.indexOf(one.severity) ? other : one,
  );
  const unique = (names: readonly (string | undefined)[]): string[] => [
    ...new Set(names.flatMap((name) => name ?? [])),
  ];
  const params = unique(findings.filter(({ tool }) => tool === worst.tool).map(({ param }) => param));
  const tools = unique(findings.map(({ tool }) => tool)).sort();
  const others = tools.filter((tool) => tool !== worst.tool);
  const more = others.length > namedTools ? ` and ${others.length - namedTools} more` : '';
  const also = params.filter((param) => param !== worst.param).join(', ');
  const reached = others.length === 0 ? '' : ` Reached from ${others.slice(0, namedTools).join(', ')}${more} too.`;
  return {
    ...worst,
    message: `${worst.message}${also === '' ? '' : ` Also: ${also}.`}${reached}`,
    ...(others.length > 0 ? { tools } : {}),
  };
}

function flowsIn(scanned: Scanned, kind: TaintRule): readonly Flow[] {
  return scanned.entries.flatMap(({ result }) => result.flows.filter((flow) => flow.rule === kind));
}

const words = { tool: 'tool', prompt: 'prompt', resource: 'resource', template: 'resource' } as const;

/** What is wrong with a check that was made, as far as that is known. */
const pastCheck = (flow: Flow): string =>
  flow.byMode && flow.rule === 'path' ? ' where a setting of the server lifts the check' : brokenCheck(flow);
const brokenCheck = (flow: Flow): string =>
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
