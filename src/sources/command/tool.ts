import type { DeclaredBreaker, Tool } from '../../core/tool.js';
import type { JsonObject } from '../../core/json.js';
import { refuse } from '../../core/outcome.js';
import type { ToolError } from '../../core/errors.js';
import { programName, type CommandDefinition } from './definition.js';
import { commandMissingError } from './run/run-outcome.js';
import { commandHandler } from './run/execution.js';
import type { CommandContract } from './input/contract.js';
import type { TierChoice, ProcessRunner } from './run/sandbox-tier.js';
import { commandOutputSchema } from './output/schema.js';
import type { ResolvedLimits } from './limits.js';

/** What a command tool is built from: the resolved program, tier, limits and contract. */
interface CommandToolOptions {
  readonly runner: ProcessRunner;
  /** Path of the program; absent if not installed or not safe to use. */
  readonly file?: string;
  /** The program exists, but any user of the machine can replace it. */
  readonly isReplaceable?: boolean;
  /** Hash of the program file when it was resolved. */
  readonly sha256?: string;
  readonly tier: TierChoice;
  readonly network: 'host' | 'none';
  readonly contract: CommandContract;
  readonly limits: ResolvedLimits;
  readonly source: string;
  readonly maxArgsLength: number;
  onEvent?(event: string, fields: JsonObject): void;
}

/** Builds the tool of a command; if it cannot run here, `unavailable` has the reason. */
export function commandTool(definition: CommandDefinition, options: CommandToolOptions): Tool {
  const { name, manifest } = definition;
  const { limits, tier, file } = options;
  const unavailable = findObstacle(definition, options);
  const { effects } = manifest;
  return {
    name,
    ...(manifest.title !== undefined && { title: manifest.title }),
    description: manifest.description ?? `Execute ${programName(definition)}`,
    input: options.contract,
    output: { schema: commandOutputSchema(definition.parser?.schema) },
    effects: {
      reads: effects.reads,
      writes: effects.writes,
      destroys: effects.destroys,
      idempotent: effects.idempotent,
      // Without a declaration: a program with network access may reach anything that its policy allows.
      openWorld: effects.open_world ?? options.network === 'host',
      labels: effects.labels,
    },
    limits: limits.limits,
    declares: limits.declares,
    ...(manifest.breaker && { breaker: declaredBreaker(manifest.breaker) }),
    source: options.source,
    tasks: manifest.tasks,
    details: commandDetails(definition, options),
    ...(unavailable !== undefined && { unavailable }),
    run:
      // A tool that cannot run is still listed, with its reason, so that an operator sees what is missing.
      unavailable === undefined && tier.ok && file !== undefined
        ? commandHandler({
            definition,
            runner: options.runner,
            file,
            tier: tier.tier,
            network: options.network,
            timeoutMs: limits.limits.timeoutMs,
            limits: limits.process,
            maxStdoutBytes: limits.maxStdoutBytes,
            maxStderrBytes: limits.maxStderrBytes,
            onCap: limits.onCap,
            ...(options.onEvent && { onEvent: options.onEvent }),
          })
        : // Not reached through the gateway, which refuses unavailable tools before; a program that embeds the source may call
          // it.
          () => Promise.resolve(refuse('sandbox_unavailable', `${name} cannot run on this machine`)),
  };
}

/** Why a command cannot run on this machine; undefined if it can. */
function findObstacle(
  definition: CommandDefinition,
  { file, isReplaceable, tier }: CommandToolOptions,
): ToolError | undefined {
  const program = programName(definition);
  // 127 is the exit code of a shell for a missing command, which callers know.
  const data = { returncode: 127 };
  // A program that others can replace would run their code as the gateway's user (privilege escalation).
  if (isReplaceable === true)
    return {
      code: 'command_missing',
      message: `${program} can be overwritten by any user of this machine and is not used`,
      hint: `Install ${program} where only its owner can write.`,
      data,
    };
  if (file === undefined) return { ...commandMissingError(program), data };
  if (!tier.ok)
    return {
      code: 'sandbox_unavailable',
      message: `${program} needs the ${definition.manifest.sandbox.minimum} tier: ${tier.reason}`,
    };
  return undefined;
}

/** Breaker settings of a manifest in the units of the guard. */
const declaredBreaker = ({
  failure_threshold: failures,
  recovery_timeout: seconds,
  counts,
}: NonNullable<CommandDefinition['manifest']['breaker']>): DeclaredBreaker => ({
  ...(failures !== undefined && { failures }),
  ...(seconds !== undefined && { cooldownMs: seconds * 1000 }),
  ...(counts !== undefined && { counts }),
});

/** Facts for operators and for `GET /tools/{name}`; documents what protects the tool. */
function commandDetails(
  definition: CommandDefinition,
  { limits, tier, network, maxArgsLength, sha256 }: CommandToolOptions,
): NonNullable<Tool['details']> {
  const { name, manifest } = definition;
  const flags = Object.values(manifest.flags).flatMap((flag) => flag.flag);
  return {
    name,
    command: programName(definition),
    version: manifest.version,
    ...(sha256 !== undefined && { program_sha256: sha256 }),
    ...(manifest.information !== undefined && { information: manifest.information }),
    performance: { concurrency: limits.limits.concurrency, default_timeout: limits.limits.timeoutMs / 1000 },
    allowed_operations: { flags_count: flags.length, flags, templates: Object.keys(manifest.templates) },
    safety_limits: {
      max_arg_length: maxArgsLength,
      max_output: limits.maxStdoutBytes,
      memory_bytes: limits.process.memoryBytes,
      open_files: limits.process.openFiles,
    },
    security_features: [
      'no shell: the program is started with an argument array',
      'every flag and every value is on an allow-list',
      ...(manifest.target.kind === 'none'
        ? []
        : [`targets vetted by the network policy ${manifest.target.policy}; the program is given the vetted address`]),
      'clean environment',
      !tier.ok
        ? 'not run without its sandbox'
        : tier.tier === 'none'
          ? 'unsandboxed: commands.sandbox.tier is none'
          : `sandbox tier ${tier.tier}, network ${network}`,
    ],
  };
}
