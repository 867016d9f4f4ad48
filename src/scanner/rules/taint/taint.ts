import type { Flow } from '../../taint/run.js';
import type { TaintRule } from '../../taint/models/sinks.js';
import { purposeOf, isSqlRunner, isCodeRunner } from './purpose.js';
import { severities, type Finding, type Rule, type RuleContext, type Severity } from '../rule.js';

/** Builds a rule from the flows that reach one kind of sink. */
export function taintRule(
  kind: TaintRule,
  meta: Omit<Rule, 'find'>,
  harm: string | ((flow: Flow) => string),
  severityOf: (flow: Flow) => Severity = () => meta.severity,
): Rule {
  return {
    ...meta,
    find: (context) => {
      const flows = flowsIn(context, kind);
      if (flows.length === 0) return [];
      const isGranted = isGrantedByDesign(context, kind);
      return mergeBySink(
        flows.map((flow) =>
          toFinding(
            meta.id,
            flow,
            typeof harm === 'string' ? harm : harm(flow),
            isGranted ? atMost('medium', severityOf(flow)) : severityOf(flow),
          ),
        ),
      );
    },
  };
}

const atMost = (limit: Severity, severity: Severity): Severity =>
  severities.indexOf(severity) < severities.indexOf(limit) ? limit : severity;
const executionKinds: readonly TaintRule[] = ['command', 'code'];
const impliedByExecution: readonly TaintRule[] = [
  'command',
  'code',
  'path',
  'module',
  'deserialise',
  'template',
  'archive',
];

/** Whether another tool grants the same capability by design, so that a bug adds nothing to it. */
function isGrantedByDesign(context: RuleContext, kind: TaintRule): boolean {
  const grantingKinds = kind === 'sql' ? ['sql'] : impliedByExecution.includes(kind) ? executionKinds : [];
  return context.entries.some(
    ({ entry, result }) =>
      (grantingKinds === executionKinds && isCodeRunner(entry)) ||
      (kind === 'sql' && isSqlRunner(entry)) ||
      result.flows.some((flow) => grantingKinds.includes(flow.rule) && purposeOf(flow) === 'by design'),
  );
}

/** Merges findings with the same sink into one (worst severity wins); capabilities stay per tool. */
function mergeBySink(findings: readonly Finding[]): readonly Finding[] {
  const places = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { file, startLine } = finding.location;
    const key = `${file}:${startLine} ${finding.kind === 'capability' ? (finding.tool ?? '') : ''}`;
    places.set(key, [...(places.get(key) ?? []), finding]);
  }
  return [...places.values()].map(mergeFindings);
}

const maxNamedTools = 6;

function mergeFindings(findings: readonly Finding[]): Finding {
  const worst = findings.reduce((one, other) =>
    severities.indexOf(other.severity) < severities.indexOf(one.severity) ? other : one,
  );
  const unique = (names: readonly (string | undefined)[]): string[] => [
    ...new Set(names.flatMap((name) => name ?? [])),
  ];
  const params = unique(findings.filter(({ tool }) => tool === worst.tool).map(({ param }) => param));
  const tools = unique(findings.map(({ tool }) => tool)).sort();
  const others = tools.filter((tool) => tool !== worst.tool);
  const more = others.length > maxNamedTools ? ` and ${others.length - maxNamedTools} more` : '';
  const also = params.filter((param) => param !== worst.param).join(', ');
  const reached = others.length === 0 ? '' : ` Also reached from ${others.slice(0, maxNamedTools).join(', ')}${more}.`;
  return {
    ...worst,
    message: `${worst.message}${also === '' ? '' : ` Also: ${also}.`}${reached}`,
    ...(others.length > 0 ? { tools } : {}),
  };
}

function flowsIn(context: RuleContext, kind: TaintRule): readonly Flow[] {
  return context.entries.flatMap(({ result }) => result.flows.filter((flow) => flow.rule === kind));
}

const kindNames = { tool: 'tool', prompt: 'prompt', resource: 'resource', template: 'resource' } as const;

/** Why an existing check does not protect the sink, as far as known. */
const describeBypassedCheck = (flow: Flow): string =>
  flow.isConfigDependent && flow.rule === 'path'
    ? ' if a setting of the server disables the check'
    : describeFailedCheck(flow);
const describeFailedCheck = (flow: Flow): string =>
  flow.isPrefixChecked && flow.rule === 'path'
    ? ' despite a prefix check without a separator, which also accepts sibling folders'
    : flow.isChecked
      ? ' despite a check that is not sufficient'
      : '';

function toFinding(rule: string, flow: Flow, harm: string, severity: Severity): Finding {
  const { entry } = flow;
  const purpose = purposeOf(flow);
  const isByDesign = purpose === 'by design';
  const subject = `${kindNames[entry.kind]} ${entry.name}`;
  const message = isByDesign
    ? `By design, the ${subject} passes ${flow.param} to ${flow.what}. ${harm}`
    : `${flow.param} of the ${subject} reaches ${flow.what}${describeBypassedCheck(flow)}${purpose === 'exceeds' ? ', which is more than its description states' : ''}. ${harm}`;
  return {
    rule,
    kind: isByDesign ? 'capability' : 'bug',
    // Unrestricted powers rate worse than those behind a check, though both are by design.
    severity: isByDesign
      ? flow.isChecked
        ? 'note'
        : 'low'
      : purpose === 'fenced' || (purpose === 'exceeds' && flow.rule !== 'command')
        ? atMost('medium', severity)
        : severity,
    message,
    location: flow.at,
    tool: entry.name,
    param: flow.param,
    flow: flow.steps,
  };
}
