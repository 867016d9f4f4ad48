import type { Args } from '../../src/core/call.js';
import { asCommandOutput, type CommandOutput } from '../../src/wire/command-output.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { Tool } from '../../src/core/tool.js';
import { deadline } from '../../src/guards/deadline.js';
import { sanitize } from '../../src/guards/sanitize.js';
import { validate, vet } from '../../src/guards/validate.js';
import { networkPolicy, type NetworkPolicy, type PolicyRules } from '../../src/net/egress/network-policy.js';
import type { Resolver } from '../../src/net/addresses/resolver.js';
import { processes, type Processes, type ProcessSpec } from '../../src/processes/index.js';
import { commandSource, type CommandSource, type CommandSourceOptions } from '../../src/sources/command/source.js';
import { aCall, guarded, never } from './make.js';

/** The policy of these rules. */
export function policyOf(rules: PolicyRules): NetworkPolicy {
  const made = networkPolicy(rules);
  if (!made.ok) throw new Error(made.problems.join('; '));
  return made.policy;
}

/** Names of the laboratory, so that no test asks a real name server. */
export const labNames: Resolver = (name) => {
  const addresses: Readonly<Record<string, readonly string[]>> = {
    'server.lab.internal': ['192.168.1.20'],
    'two.lab.internal': ['192.168.1.21', '192.168.1.22'],
    'a.b.lab.internal': ['10.1.2.3'],
    'here.lab.internal': ['127.0.0.1'],
    'rebound.lab.internal': ['169.254.169.254'],
    'half.lab.internal': ['10.0.0.9', '8.8.8.8'],
  };
  const found = addresses[name];
  return found === undefined ? Promise.reject(new Error('no such name')) : Promise.resolve(found);
};

/** A source on real processes, with every start counted and its spec kept. */
export interface Bench {
  readonly source: CommandSource;
  readonly started: readonly ProcessSpec[];
  tools(): Promise<ReadonlyMap<string, Tool>>;
  tool(name: string): Promise<Tool>;
  /** Sends a call through the guards that a command meets: validate, deadline, vet, sanitize. */
  ask(tool: string, args: Args, signal?: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

/** Sets a bench up; loopback and private networks may be reached unless told. */
export function commandBench(over: Partial<CommandSourceOptions> = {}): Bench {
  const started: ProcessSpec[] = [];
  const real: Processes = processes();
  const source = commandSource({
    policies: { default: policyOf({ allow: ['rfc1918', 'loopback'] }) },
    allowIntrusive: false,
    resolver: labNames,
    processes: {
      tiers: () => real.tiers(),
      run: (spec, options) => {
        started.push(spec);
        return real.run(spec, options);
      },
    },
    ...over,
  });
  let listed: Promise<ReadonlyMap<string, Tool>> | undefined;
  const tools = (): Promise<ReadonlyMap<string, Tool>> =>
    (listed ??= source.list(never).then((all) => new Map(all.map((tool) => [tool.name, tool]))));
  const tool = async (name: string): Promise<Tool> => {
    const found = (await tools()).get(name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  return {
    source,
    started,
    tools,
    tool,
    async ask(name, args, signal = never) {
      const asked = await tool(name);
      return guarded([validate, deadline(), vet, sanitize()], asked.run, asked)(aCall({ tool: name, args, signal }));
    },
    close: () => real.close(),
  };
}

/** The command output of an outcome, which must have one. */
export function printed(outcome: Outcome): CommandOutput {
  const output = outcome.kind === 'confirm' ? undefined : asCommandOutput(outcome.data);
  if (output === undefined) throw new Error(`no output: ${JSON.stringify(outcome)}`);
  return output;
}
