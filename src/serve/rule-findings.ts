import type { RuleProblem } from '../access/policy.js';
import type { Finding } from '../config/lints/finding.js';
import type { Config } from '../config/schema.js';
import type { Processes } from '../processes/processes.js';
import { refused } from '../processes/spec.js';
import { noTiers } from '../processes/tiers.js';
import { registry } from '../registry/registry.js';
import { originBreakers } from '../sources/http/breakers.js';
import { remembered, rulesOf } from './access.js';
import { sourcesOf } from './sources.js';

/** What is wrong with the rules of a configuration: what does not compile, and names that none of the sources on this machine has. */
export async function ruleFindings(config: Config, base: string, env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const compiled = rulesOf(config, remembered(config));
  if (!compiled.ok) return compiled.problems.map(toFinding);
  if (config.policy.rules.length === 0) return [];
  const known = registry({
    sources: await sourcesOf({
      config: readable(config),
      base,
      env,
      processes: nothingStarts,
      origins: originBreakers({}),
      packages: '',
      grants: '',
      onEvent() {},
    }),
    filter: { include: config.tool.include, exclude: config.tool.exclude },
  });
  try {
    await known.refresh(new AbortController().signal);
    return compiled.rules
      .unknown(known)
      .filter(({ mayCome }) => !mayCome)
      .map(toFinding);
  } finally {
    await known.close();
  }
}

const toFinding = ({ path, message }: RuleProblem): Finding => ({
  rule: 'policy-rule',
  severity: 'error',
  path,
  message,
  hint: 'The gateway does not start with it',
});

/** The configuration with those sources alone that can be read without a process or a request; what others offer may still come. */
function readable(config: Config): Config {
  const isHere = (source: Config['sources'][string]): boolean =>
    source.kind !== 'mcp' && (source.kind !== 'openapi' || !/^https?:\/\//i.test(source.document));
  return {
    ...config,
    sources: Object.fromEntries(Object.entries(config.sources).filter(([, source]) => isHere(source))),
  };
}

const message = 'A check starts nothing';
const nothingStarts: Processes = {
  run: () => Promise.resolve(refused('spawn_failed', message)),
  open: () => Promise.resolve(refused('spawn_failed', message)),
  plan: () => Promise.resolve(refused('spawn_failed', message)),
  tiers: () => Promise.resolve(noTiers(message)),
  active: () => 0,
  close: () => Promise.resolve(),
  brokerPid: undefined,
};
