import { rules } from './index.js';
import type { Case, Rule } from './rule.js';

/** The vulnerable and the fixed form of one case. */
const caseExample = ({ language, bad, good }: Case): string[] => [
  '',
  `Vulnerable (${language}):`,
  '',
  `\`\`\`${language}`,
  bad.trim(),
  '```',
  '',
  'Fixed:',
  '',
  `\`\`\`${language}`,
  good.trim(),
  '```',
];

/** The documentation page of a rule, in Markdown. */
export const rulePage = (rule: Rule): string =>
  `${[
    `# ${rule.id}: ${rule.title}`,
    '',
    `Severity: ${rule.severity}. ${rule.cwe.map((each) => `CWE-${each}`).join(', ')}. ${[...rule.owasp, ...rule.safeMcp].join(', ')}.`,
    '',
    rule.why,
    '',
    `**Fix.** ${rule.fix}`,
    '',
    `Suppress one finding with a comment on its line or the line before; a reason is required: \`toolgate-ignore ${rule.id}: <reason>\`.`,
    ...rule.cases.flatMap(caseExample),
  ].join('\n')}\n`;

/** The page of a rule, or undefined for an unknown id. */
export function explainRule(id: string): string | undefined {
  const rule = rules.find((each) => each.id === id);
  return rule && rulePage(rule);
}
