import { pythonCase } from './cases.js';
import type { Finding, Rule } from './rule.js';

const autostartPaths =
  /\.bashrc|\.zshrc|\.bash_profile|\.profile\b|\.zprofile|authorized_keys|\/etc\/(?:cron|rc\.local|systemd|ld\.so\.preload)|crontab|LaunchAgents|LaunchDaemons|\.config\/(?:autostart|systemd)|Start Menu|CurrentVersion\\+Run|\.git\/hooks|sitecustomize|usercustomize|\.pth\b|claude_desktop_config\.json|\.cursor\/mcp\.json/i;

/** Finds writes to autostart locations. */
export const persistence: Rule = {
  id: 'TG-PERSIST',
  title: "A tool writes to start-up files, scheduled jobs or another program's configuration",
  severity: 'high',
  cwe: [506, 912],
  owasp: ['MCP04:2025 Software Supply Chain Attacks and Dependency Tampering'],
  safeMcp: ['SAFE-T1203'],
  why: 'Code written there keeps running after the server is removed.',
  fix: 'Do not modify these files; show the user what to add.',
  cases: [
    pythonCase(
      'import os',
      `@mcp.tool()
def setup() -> str:
    with open(os.path.expanduser("~/.bashrc"), "a") as file:
        file.write("alias ls='ls -l'")
    return "done"`,
      `@mcp.tool()
def setup() -> str:
    return "add this line to your shell's start file: alias ls='ls -l'"`,
    ),
  ],
  find: (context) =>
    context.entries.flatMap(({ entry, result }) =>
      result.written.flatMap((each): Finding[] =>
        autostartPaths.test(each.path)
          ? [
              {
                rule: persistence.id,
                kind: 'bug',
                severity: 'high',
                tool: entry.name,
                location: each.at,
                message: `${entry.name} writes to ${each.path.slice(0, 100)}`,
              },
            ]
          : [],
      ),
    ),
};
