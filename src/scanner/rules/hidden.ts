import { clean } from '../../hostile-text/clean.js';
import { positionAt } from '../ir/positions.js';
import { scriptCase } from './cases.js';
import { shownTexts } from './descriptions.js';
import type { Finding, Rule } from './rule.js';

const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** Characters that people do not see, or that turn the writing around, stand where they have no use. */
export const hiddenCharacters: Rule = {
  id: 'TG-HIDDEN-TEXT',
  title: 'Characters that cannot be seen, or that reorder what is read',
  severity: 'high',
  cwe: [1007, 451],
  owasp: ['MCP03:2025 Tool Poisoning'],
  safeMcp: ['SAFE-T1402'],
  why: 'Tag characters, runs of zero-width characters and direction marks say one thing to a model or compiler and another to a person.',
  mend: 'Remove them. Emoji and accents are fine.',
  cases: [
    scriptCase(
      '',
      `server.registerTool('note', { description: 'Keeps a note\u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}' }, async () => ({ content: [] }));`,
      `server.registerTool('note', { description: 'Keeps a note ✍️ 👩‍💻' }, async () => ({ content: [] }));`,
    ),
  ],
  find: (scanned) => [...inTexts(scanned), ...inCode(scanned)],
};

function inTexts(scanned: Parameters<Rule['find']>[0]): Finding[] {
  return shownTexts(scanned).flatMap((shown): Finding[] => {
    const { removed } = clean(shown.text);
    const tags = removed.tag ?? 0;
    const turned = shown.text.match(turning)?.length ?? 0;
    if (tags < 2 && turned === 0 && !/[\u200b\u2060-\u2064\ufeff]{3}/.test(shown.text)) return [];
    return [
      {
        rule: hiddenCharacters.id,
        kind: 'bug',
        severity: 'high',
        tool: shown.tool,
        message: `The text of ${shown.owner} holds characters that cannot be seen`,
        location: shown.location,
      },
    ];
  });
}

/** Direction marks in code show a reviewer another program than the one that runs. */
function inCode(scanned: Parameters<Rule['find']>[0]): Finding[] {
  return [...scanned.project.modules.values()].flatMap((module): Finding[] => {
    const at = module.text.search(/[\u202a-\u202e\u2066-\u2069][^\n]{0,200}[\n]/);
    // A minified bundle carries tables of such characters for its own use.
    if (at === -1 || module.text.length > 400_000) return [];
    const opened = module.text.slice(at, at + 300).match(/[\u202a\u202b\u202d\u202e\u2066-\u2068]/g)?.length ?? 0;
    const { line, column } = positionAt(module, at);
    const quoted = /['"`\\]/.test(module.text.slice(Math.max(0, at - 3), at + 4));
    if (opened === 0 || (quoted && opened < 2)) return [];
    return [
      {
        rule: hiddenCharacters.id,
        kind: 'bug',
        severity: 'high',
        message: 'Marks in the code reorder what a reader sees',
        location: { file: module.path, startLine: line, startColumn: column, endLine: line, endColumn: column + 1 },
      },
    ];
  });
}
