import type { RuleProblem } from '../../access/policy/policy.js';
import type { ConfigFinding } from '../../config/lints/lint.js';
import type { Config } from '../../config/schema.js';
import { unusedOverrides, type UnusedOverride } from '../../config/tool-overrides.js';
import { nameCollisions, type NameCollision } from '../../config/new-names.js';
import type { Processes } from '../../processes/processes.js';
import { toRefusal } from '../../processes/process-spec.js';
import { noTiers } from '../../processes/sandbox/tiers.js';
import { registry } from '../../registry/registry.js';
import { shownTools } from '../../registry/shown-tools.js';
import { toolSearch } from '../../registry/tool-search.js';
import { originBreakers } from '../../sources/http/breakers.js';
import { awaitedNames } from '../../access/configured/awaited-names.js';
import { callerMemory } from '../../access/configured/caller-memory.js';
import { compileAccess } from '../../access/configured/rules.js';
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
  const { include, exclude, overrides } = config.tool;
  // Nothing names a tool, so the sources need not be opened.
  if (config.policy.rules.length + include.length + exclude.length + Object.keys(overrides).length === 0) return [];
  const filter = { include, exclude };
  const known = registry({
    sources: await Promise.all(
      planSources(offlinePart(config), {
        base,
        env,
        // Checking must have no side effects: no process starts and no name is resolved.
        processes: inertProcesses,
        origins: originBreakers({}),
        packages: '',
        grants: '',
        client: identity,
        onEvent() {},
      }).map((source) => source.open()),
    ),
    filter,
  });
  try {
    await known.refresh(new AbortController().signal);
    const collisions = nameCollisions(overrides, [
      ...toolSearch(known.catalogue()),
      ...known.catalogue().tools.values(),
    ]);
    // Checked before names are changed: afterwards one of two colliding tools would be missing.
    known.applyTerms({ filter, adjust: (tool) => tool, shown: shownTools(overrides), isDisabled: () => false });
    const unknown = compiled.rules.unknown(known).filter(({ mayAppear: mayCome }) => !mayCome);
    const unused = unusedOverrides(config, known.catalogue(), awaitedNames(config.sources, known, sourceKinds));
    return [...collisions.map(toCollisionFinding), ...unknown.map(toRuleFinding), ...unused.map(toOverrideFinding)];
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

const toCollisionFinding = ({ path, message }: NameCollision): ConfigFinding => ({
  rule: 'taken-name',
  severity: 'error',
  path,
  message,
  hint: 'Choose another name; only one of the two tools would be offered',
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

/** Stands in for the process broker, so that opening a source for its names cannot start a program. */
const refusalMessage = 'toolgate check starts no processes';
const inertProcesses: Processes = {
  run: () => Promise.resolve(toRefusal('spawn_failed', refusalMessage)),
  open: () => Promise.resolve(toRefusal('spawn_failed', refusalMessage)),
  plan: () => Promise.resolve(toRefusal('spawn_failed', refusalMessage)),
  tiers: () => Promise.resolve(noTiers(refusalMessage)),
  onMaskLost: () => () => {},
  active: () => 0,
  close: () => Promise.resolve(),
  brokerPid: undefined,
};
