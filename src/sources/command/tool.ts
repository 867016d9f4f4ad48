import type { Tool } from '../../core/tool.js';
import { refuse } from '../../core/outcome.js';
import type { ToolError } from '../../core/errors.js';
import { programOf, type CommandDefinition } from './definition.js';
import { commandMissing } from './ending.js';
import { execution } from './execution.js';
import type { CommandContract } from './input.js';
import type { Holding, Runner } from './neighbours.js';
import { outputSchema } from './output-schema.js';
import type { Settled } from './settings.js';

/** What was found on this machine for one command. */
export interface Ground {
  readonly runner: Runner;
  /** Where the program is; absent where it is not, or not safe to use. */
  readonly file?: string;
  /** It is there, but any user of the machine could replace it. */
  readonly unsafe?: boolean;
  /** What the program was when it was found. */
  readonly sha256?: string;
  readonly holding: Holding;
  readonly network: 'host' | 'none';
  readonly contract: CommandContract;
  readonly settled: Settled;
  readonly source: string;
  readonly maxArgsLength: number;
}

/** The tool a command becomes. */
export function commandTool(definition: CommandDefinition, ground: Ground): Tool {
  const { name, manifest } = definition;
  const { settled, holding, file } = ground;
  const unavailable = obstacle(definition, ground);
  const { effects } = manifest;
  return {
    name,
    ...(manifest.title !== undefined && { title: manifest.title }),
    description: manifest.description ?? `Execute ${programOf(definition)}`,
    input: ground.contract,
    output: { schema: outputSchema(definition.parser?.schema) },
    effects: {
      reads: effects.reads,
      writes: effects.writes,
      destroys: effects.destroys,
      idempotent: effects.idempotent,
      openWorld: effects.open_world ?? ground.network === 'host',
      labels: effects.labels,
    },
    limits: settled.limits,
    source: ground.source,
    tasks: manifest.tasks,
    details: details(definition, ground),
    ...(unavailable !== undefined && { unavailable }),
    run:
      unavailable === undefined && holding.ok && file !== undefined
        ? execution({
            definition,
            runner: ground.runner,
            file,
            tier: holding.tier,
            network: ground.network,
            timeoutMs: settled.limits.timeoutMs,
            limits: settled.process,
            maxStdoutBytes: settled.maxStdoutBytes,
            maxStderrBytes: settled.maxStderrBytes,
            onCap: settled.onCap,
          })
        : () => Promise.resolve(refuse('sandbox_unavailable', `${name} cannot run on this machine`)),
  };
}

function obstacle(definition: CommandDefinition, { file, unsafe, holding }: Ground): ToolError | undefined {
  const program = programOf(definition);
  const data = { returncode: 127 };
  if (unsafe === true)
    return {
      code: 'command_missing',
      message: `${program} can be replaced by every user of this machine and is not used`,
      hint: `Install ${program} where only its owner can write.`,
      data,
    };
  if (file === undefined) return { ...commandMissing(program), data };
  if (!holding.ok)
    return {
      code: 'sandbox_unavailable',
      message: `${program} needs the ${definition.manifest.sandbox.minimum} tier: ${holding.reason}`,
    };
  return undefined;
}

function details(
  definition: CommandDefinition,
  { settled, holding, network, maxArgsLength, sha256 }: Ground,
): NonNullable<Tool['details']> {
  const { name, manifest } = definition;
  const flags = Object.values(manifest.flags).flatMap((flag) => flag.flag);
  return {
    name,
    command: programOf(definition),
    version: manifest.version,
    ...(sha256 !== undefined && { program_sha256: sha256 }),
    performance: { concurrency: settled.limits.concurrency, default_timeout: settled.limits.timeoutMs / 1000 },
    allowed_operations: { flags_count: flags.length, flags, templates: Object.keys(manifest.templates) },
    safety_limits: {
      max_arg_length: maxArgsLength,
      max_output: settled.maxStdoutBytes,
      memory_bytes: settled.process.memoryBytes,
      open_files: settled.process.openFiles,
    },
    security_features: [
      'no shell: the program is started with an array of words',
      'every flag and every value is on an allow-list',
      ...(manifest.target.kind === 'none'
        ? []
        : [`targets vetted by the network policy ${manifest.target.policy}; the program is given the vetted address`]),
      'clean environment',
      holding.ok ? `held by ${holding.tier}, network ${network}` : 'not run without its sandbox',
    ],
  };
}
