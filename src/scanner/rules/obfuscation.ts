import { scriptCase } from './cases.js';
import { servedModules, spotAt } from './literals.js';
import type { Finding, Rule } from './rule.js';

const signs: readonly { readonly what: string; readonly find: (text: string) => number }[] = [
  {
    what: 'names as an obfuscator makes them',
    find: (text) =>
      (text.match(/\b_0x[0-9a-f]{4,6}\b/g)?.length ?? 0) >= 30 ? text.search(/\b_0x[0-9a-f]{4,6}\b/) : -1,
  },
  {
    what: 'code put together from character numbers',
    find: (text) =>
      text.search(
        /(?:exec|eval)\s*\(\s*(?:["']{2}|bytes)\s*\.?\s*(?:join)?\(\s*(?:map\(chr|chr\(|\[?\s*chr)|(?:eval|Function)\s*\(\s*String\.fromCharCode\(\s*\d/,
      ),
  },
  {
    what: 'a packed program',
    find: (text) => text.search(/eval\(function\(p,a,c,k,e,[dr]\)|exec\(\(_\)\(b'|marshal\.loads\((?:zlib|base64)/),
  },
];

/** Code is written so that nobody can read it. */
export const obfuscation: Rule = {
  id: 'TG-OBFUSCATED',
  title: 'Code is made unreadable on purpose',
  severity: 'high',
  cwe: [506],
  owasp: ['MCP04:2025 Software Supply Chain Attacks and Dependency Tampering'],
  safeMcp: ['SAFE-T1003'],
  why: 'Small code is minified; code that is hidden has something to hide, and cannot be judged.',
  mend: 'Publish readable source, or a plain bundle.',
  cases: [
    scriptCase(
      '',
      `eval(String.fromCharCode(99, 111, 110, 115, 111, 108, 101));`,
      `console.error(String.fromCharCode(99));`,
    ),
  ],
  find: (scanned) =>
    servedModules(scanned).flatMap((module): Finding[] =>
      signs.flatMap(({ what, find }): Finding[] => {
        const at = module.text.length > 3_000_000 ? -1 : find(module.text);
        return at === -1
          ? []
          : [
              {
                rule: obfuscation.id,
                kind: 'bug',
                severity: 'high',
                message: `The file holds ${what}`,
                location: spotAt(module, at),
              },
            ];
      }),
    ),
};
