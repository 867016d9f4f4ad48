import type { FunctionNode } from '../ir/nodes.js';
import type { Location } from '../ir/positions.js';
import type { EntryResult } from '../taint/run.js';
import type { ToolEntry } from '../taint/sources/sources.js';
import { pythonCase } from './cases.js';
import { findEnvironmentDump } from './malware/environment-dump.js';
import { nodeLocation, locationAt } from './module-search.js';
import { credentialName, returnedCredentials } from './returned-credentials.js';
import type { Finding, Rule, RuleContext, Severity } from './rule.js';

/** Files that hold credentials of the user or the machine. */
const credentialFile =
  /\/etc\/(?:passwd|shadow)\b|\.ssh\/(?:id_\w+|config)|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws\/(?:credentials|config)|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials|\.kube\/config|\.docker\/config|\.config\/(?:gcloud|gh)\/|\.pgpass\b/;

/** Finds tools that return a credential. */
export const exposure: Rule = {
  id: 'TG-SECRET-EXPOSED',
  title: 'A tool returns a credential',
  severity: 'medium',
  cwe: [200, 522],
  owasp: ['MCP01:2025 Token Mismanagement and Secret Exposure', 'MCP10:2025 Context Injection and Over-Sharing'],
  safeMcp: ['SAFE-T1504'],
  why: 'Tool results stay in the conversation, where the user, the model and other tools can read them.',
  fix: 'Keep credentials out of results and error messages, or show only their last characters.',
  cases: [
    pythonCase(
      'import json',
      `@mcp.tool()
def status(service: str) -> str:
    info = json.load(open("/srv/services.json"))[service]
    return f"Service is up. Access token: {info['access_token']}"`,
      `@mcp.tool()
def status(service: str) -> str:
    info = json.load(open("/srv/services.json"))[service]
    return f"Service is up since {info['since']}"`,
    ),
    pythonCase(
      'import json\nimport os',
      `@mcp.tool()
def health() -> str:
    report = {"up": True, "settings": dict(os.environ)}
    return json.dumps(report)`,
      `@mcp.tool()
def health() -> str:
    report = {"up": True, "region": os.environ.get("REGION", "")}
    return json.dumps(report)`,
    ),
  ],
  find: (context) => {
    const visited = new Set<FunctionNode>();
    return context.entries.flatMap(({ entry, result }): Finding[] => {
      const { fn, module } = entry.handler;
      const read = [
        ...returnedFiles(entry, result),
        ...namedVariables(entry, result),
        ...describedSecrets(context, entry),
      ];
      // Several tools may share a dispatcher; its body is examined once.
      if (visited.has(fn)) return read;
      visited.add(fn);
      const dump = findEnvironmentDump(fn, (expr) => module.text.slice(expr.start, expr.end));
      const environment = dump ? [environmentFinding(entry, nodeLocation(module, dump))] : [];
      const named = returnedCredentials(fn, module).map(({ name, at }) =>
        toExposure(entry, `The result of ${entry.name} contains ${name}`, at),
      );
      return [...read, ...environment, ...named];
    });
  },
};

/** A finding of this rule. */
const toExposure = (entry: ToolEntry, message: string, location: Location, severity: Severity = 'medium'): Finding => ({
  rule: exposure.id,
  kind: 'bug',
  severity,
  tool: entry.name,
  message,
  location,
});

/** Credential files whose content is returned. */
const returnedFiles = (entry: ToolEntry, { returned }: EntryResult): readonly Finding[] =>
  returned.flatMap(({ what, at }) =>
    credentialFile.test(what) ? [toExposure(entry, `${entry.name} returns the content of ${what}`, at, 'high')] : [],
  );

/** Environment variables by a name that the caller gives; by design for tools that state it. */
const namedVariables = (entry: ToolEntry, { flows }: EntryResult): readonly Finding[] =>
  flows
    .filter(({ rule }) => rule === 'environment')
    .map(({ param, what, at, steps }) => {
      const isStated = statesEnvironment(entry);
      return {
        ...toExposure(entry, `${param} of ${entry.name} selects the environment variable that ${what} reads`, at),
        ...(isStated ? { kind: 'capability' as const, severity: 'note' as const } : {}),
        param,
        flow: steps,
      };
    });

/** Secrets of the environment that are part of a description, which every model reads. */
function describedSecrets({ registered }: RuleContext, entry: ToolEntry): readonly Finding[] {
  return registered.flatMap(({ registrations }) =>
    registrations.flatMap(({ handler, description, at }) => {
      if (handler?.fn !== entry.handler.fn || description?.kind !== 'text') return [];
      const source = at.module.text.slice(at.spot.start, at.spot.end);
      const name = /(?:process\.env\.|os\.environ(?:\.get\(|\[)["']|getenv\(["'])(\w+)/.exec(source)?.[1];
      // The variable must be part of the description itself, not of some other field.
      return name !== undefined && credentialName.test(name) && new RegExp(`description[^,]{0,200}${name}`).test(source)
        ? [
            toExposure(
              entry,
              `The description of ${entry.name} contains the value of ${name}`,
              locationAt(at.module, at.spot.start),
            ),
          ]
        : [];
    }),
  );
}

/** Whether a tool declares that it shows the environment. */
const statesEnvironment = ({ name, description }: ToolEntry): boolean =>
  /environ|\benv(?:\b|_|[A-Z])|_env/i.test(`${name} ${description.trimStart().slice(0, 100)}`);

/** A tool described as showing the environment does so by design. */
function environmentFinding(entry: ToolEntry, location: Location): Finding {
  const { name } = entry;
  const isByDesign = statesEnvironment(entry);
  return {
    rule: exposure.id,
    kind: isByDesign ? 'capability' : 'bug',
    severity: isByDesign ? 'note' : 'medium',
    tool: name,
    message: isByDesign
      ? `By design, the tool ${name} returns the environment`
      : `The result of ${name} contains the whole environment`,
    location,
  };
}
