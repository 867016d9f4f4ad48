import type { RuleProblem } from '../../access/policy.js';
import type { ConfigFinding } from '../../config/lints/lint.js';
import type { Config } from '../../config/schema.js';
import { unusedOverrides, type UnusedOverride } from '../../config/tool-overrides.js';
import type { Processes } from '../../processes/processes.js';
import { toRefusal } from '../../processes/process-spec.js';
import { noTiers } from '../../processes/tiers.js';
import { registry } from '../../registry/registry.js';
import { originBreakers } from '../../sources/http/breakers.js';
import { awaitedNames, callerMemory, compileAccess } from '../../serve/access.js';
import { identity } from '../../identity.js';
import { sourceKinds } from '../../sources/index.js';
import { kindOf } from '../../sources/kind.js';
import { planSources } from '../../sources/plan.js';

/** Problems that only show with the tools: rules that do not compile, and names in rules and overrides that match no tool. */
export async function ruleFindings(
  config: Config,
  base: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly ConfigFinding[]> {
  const compiled = compileAccess(
    config,
    callerMemory(() => config),
  );
  if (!compiled.ok) return compiled.problems.map(toRuleFinding);
  if (config.policy.rules.length === 0 && Object.keys(config.tool.overrides).length === 0) return [];
  const known = registry({
    sources: await Promise.all(
      planSources(offlinePart(config), {
        base,
        env,
        processes: inertProcesses,
        origins: originBreakers({}),
        packages: '',
        grants: '',
        client: identity,
        onEvent() {},
      }).map((source) => source.open()),
    ),
    filter: { include: config.tool.include, exclude: config.tool.exclude },
  });
  try {
    await known.refresh(new AbortController().signal);
    const unknown = compiled.rules.unknown(known).filter(({ mayAppear: mayCome }) => !mayCome);
    const unused = unusedOverrides(config, known.catalogue().tools, awaitedNames(config.sources, known, sourceKinds));
    return [...unknown.map(toRuleFinding), ...unused.map(toOverrideFinding)];
  } finally {
    await known.close();
  }
}

const toRuleFinding = ({ path, message }: RuleProblem): ConfigFinding => ({
  rule: 'policy-rule',
  severity: 'error',
  path,
  message,
  hint: 'The gateway does not start until this is fixed',
});

const toOverrideFinding = ({ path, message, isUnknown }: UnusedOverride): ConfigFinding => ({
  rule: 'unused-override',
  severity: isUnknown ? 'error' : 'warning',
  path,
  message,
  hint: isUnknown ? 'See toolgate tools for the names' : 'Remove the key',
});

/** Configuration with only the sources that need no process and no request; other names count as pending. */
const offlinePart = (config: Config): Config => ({
  ...config,
  sources: Object.fromEntries(
    Object.entries(config.sources).filter(([, entry]) => kindOf(entry, sourceKinds).listsOffline(entry)),
  ),
});

const refusalMessage = 'toolgate check starts no processes';
const inertProcesses: Processes = {
  run: () => Promise.resolve(toRefusal('spawn_failed', refusalMessage)),
  open: () => Promise.resolve(toRefusal('spawn_failed', refusalMessage)),
  plan: () => Promise.resolve(toRefusal('spawn_failed', refusalMessage)),
  tiers: () => Promise.resolve(noTiers(refusalMessage)),
  active: () => 0,
  close: () => Promise.resolve(),
  brokerPid: undefined,
};
