import type { Args } from '../../core/call.js';
import type { CommandOutput } from '../../core/command-output.js';
import type { JsonObject } from '../../core/json.js';
import { done } from '../../core/outcome.js';
import type { Handler } from '../../core/tool.js';
import type { ProcessLimits, ProcessSpec } from '../../processes/spec.js';
import { fixedPath } from '../../processes/tools.js';
import { programOf, type CommandDefinition } from './definition.js';
import { ended, notRun, silence } from './ending.js';
import type { Runner } from './neighbours.js';
import { appliedWords, plan } from './plan.js';

/** How a program is run: where it is, how it is held, and what it may use. */
export interface Execution {
  readonly definition: CommandDefinition;
  readonly runner: Runner;
  readonly file: string;
  readonly tier: 'bwrap' | 'prlimit';
  readonly network: 'host' | 'none';
  readonly timeoutMs: number;
  readonly limits: ProcessLimits;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly onCap: 'kill' | 'drain';
}

/** Runs the program with exactly the planned words, or shows them when only asked to. */
export function execution(settings: Execution): Handler {
  const { definition, runner, file, tier, network } = settings;
  const { manifest } = definition;
  return async (call) => {
    const timeoutMs = call.timeoutMs ?? settings.timeoutMs;
    const spec: ProcessSpec = {
      file,
      args: plan(manifest, call.args),
      env: { PATH: fixedPath, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...manifest.environment },
      tier,
      network,
      newPrivileges: manifest.sandbox.new_privileges || asksForPrivileges(definition, call.args),
      readable: manifest.sandbox.readable,
      limits: { ...settings.limits, cpuSeconds: Math.ceil(timeoutMs / 1000) },
    };
    const command = [programOf(definition), ...spec.args].map(quoted).join(' ');
    const applied = appliedWords(manifest, call.args);
    const facts = {
      command,
      sandbox: { tier, network },
      ...(applied.length > 0 && { optimizations_applied: applied }),
    };
    if (call.args['dry_run'] === true) return done([], wouldExecute(spec, settings, timeoutMs, facts));

    const { maxStdoutBytes, maxStderrBytes, onCap } = settings;
    const result = await runner.run(spec, { signal: call.signal, timeoutMs, maxStdoutBytes, maxStderrBytes, onCap });
    return result.kind === 'refused' ? notRun(definition, result) : ended(settings, call, result, timeoutMs, facts);
  };
}

function wouldExecute(spec: ProcessSpec, settings: Execution, timeoutMs: number, facts: JsonObject): CommandOutput {
  return {
    ...silence,
    stdout: `Would execute: ${String(facts['command'])}`,
    returncode: 0,
    metadata: {
      ...facts,
      dry_run: true,
      argv: [spec.file, ...spec.args],
      environment: Object.keys(spec.env),
      limits: {
        timeout_sec: timeoutMs / 1000,
        cpu_seconds: spec.limits.cpuSeconds,
        memory_bytes: spec.limits.memoryBytes,
        open_files: spec.limits.openFiles,
        file_bytes: spec.limits.fileBytes,
        stdout_bytes: settings.maxStdoutBytes,
        stderr_bytes: settings.maxStderrBytes,
      },
    },
  };
}

const quoted = (word: string): string =>
  /^[A-Za-z0-9.:/=+,\-@%_[\]]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const asksForPrivileges = ({ manifest: { flags } }: CommandDefinition, args: Args): boolean =>
  Object.entries(flags).some(
    ([name, { needs }]) => needs.includes('privileged') && args[name] !== undefined && args[name] !== false,
  );
