import type { Finding, RuleContext } from './rules/rule.js';
import { severities } from './rules/rule.js';
import { rules } from './rules/index.js';
import type { SuggestedTool } from './surface/scan.js';
import { flowsOf } from './taint/run.js';

const isTaintRule = (id: string): boolean => id.startsWith('TG-TAINT-');
/** A name is weak evidence: such a finding never decides alone whether a server may start. */
const worst = severities.indexOf('medium');

/**
 * Findings in handlers that only their name suggests. They are kept apart from those of registered tools: a guess must not count as a
 * capability, as coverage, or as a permission by design.
 */
export function suggestedFindings(
  context: RuleContext,
  suggested: readonly SuggestedTool[],
  isSelected: (id: string) => boolean,
): readonly Finding[] {
  const entries = suggested.map(({ tool, handler }) => {
    const entry = {
      kind: 'tool' as const,
      name: tool.name,
      description: tool.description,
      handler,
      schema: tool.schema,
      isDispatcher: false,
    };
    return { entry, result: flowsOf(context.machine, entry, context.deadline) };
  });
  if (entries.length === 0) return [];
  return rules
    .filter(({ id }) => isTaintRule(id) && isSelected(id))
    .flatMap((rule) => rule.find({ ...context, entries }))
    .map((finding) => ({
      ...finding,
      severity: severities[Math.max(worst, severities.indexOf(finding.severity))] ?? finding.severity,
      confidence: 'heuristic' as const,
    }));
}
