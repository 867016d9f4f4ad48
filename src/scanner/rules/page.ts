import { rules } from './index.js';
import type { Case, Rule } from './rule.js';

const sample = ({ language, bad, good }: Case): string[] => [
  '',
  `Found (${language}):`,
  '',
  `\`\`\`${language}`,
  bad.trim(),
  '```',
  '',
  'Mended:',
  '',
  `\`\`\`${language}`,
  good.trim(),
  '```',
];

/** The page of a rule, in Markdown. */
export const rulePage = (rule: Rule): string =>
  `${[
    `# ${rule.id}: ${rule.title}`,
    '',
    `Severity: ${rule.severity}. ${rule.cwe.map((each) => `CWE-${each}`).join(', ')}. ${[...rule.owasp, ...rule.safeMcp].join(', ')}.`,
    '',
    rule.why,
    '',
    `**Mend it.** ${rule.mend}`,
    '',
    `Silence one place with a comment on its line or the line before, and say why: \`toolgate-ignore ${rule.id}: <reason>\`.`,
    ...rule.cases.flatMap(sample),
  ].join('\n')}\n`;

/** The page of the rule of an id, or undefined where there is none. */
export function explainRule(id: string): string | undefined {
  const rule = rules.find((each) => each.id === id);
  return rule && rulePage(rule);
}
