import type { Args } from '../../../core/call.js';
import type { CommandOutput } from '../../../wire/command-output.js';
import type { JsonObject } from '../../../core/json.js';
import { done, type Outcome } from '../../../core/outcome.js';
import type { Handler } from '../../../core/tool.js';
import { pause } from '../../../lib/pause.js';
import type { ProcessLimits, ProcessSpec, Tier } from '../../../processes/process-spec.js';
import { fixedPath } from '../../../processes/executables.js';
import { programName, type CommandDefinition } from '../definition.js';
import { toRunOutcome, toStartFailure, emptyOutput } from './run-outcome.js';
import type { ProcessRunner } from './sandbox-tier.js';
import { appliedFlagWords, buildArgv } from './argv.js';

/** Everything needed to run a program: its path, sandbox tier, network and limits. */
interface ExecutionSettings {
  readonly definition: CommandDefinition;
  readonly runner: ProcessRunner;
  readonly file: string;
  readonly tier: Tier;
  readonly network: 'host' | 'none';
  readonly timeoutMs: number;
  readonly limits: ProcessLimits;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly onCap: 'kill' | 'drain';
  onEvent?(event: string, fields: JsonObject): void;
}

/** Handler that runs the program with the built argv; with `dry_run` it only returns the argv. */
export function commandHandler(settings: ExecutionSettings): Handler {
  const { definition, runner, file, tier, network } = settings;
  const { manifest } = definition;
  return async (call) => {
    const timeoutMs = call.timeoutMs ?? settings.timeoutMs;
    const spec: ProcessSpec = {
      file,
      args: buildArgv(manifest, call.args),
      // A clean environment: variables of the gateway hold secrets, and a fixed locale keeps output parseable.
      env: { PATH: fixedPath, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...manifest.environment },
      tier,
      network,
      // Set only for calls that need it: without no_new_privs a setuid program could gain rights.
      newPrivileges: manifest.sandbox.new_privileges || needsNewPrivileges(definition, call.args),
      readable: manifest.sandbox.readable,
      // CPU time is limited as well: a busy loop that ignores signals is killed by the kernel.
      limits: { ...settings.limits, cpuSeconds: Math.ceil(timeoutMs / 1000) },
    };
    // Only shown, never passed to a shell.
    const command = [programName(definition), ...spec.args].map(quoteShellWord).join(' ');
    const applied = appliedFlagWords(manifest, call.args);
    const facts = {
      command,
      sandbox: { tier, network },
      ...(applied.length > 0 && { optimizations_applied: applied }),
    };
    // After building the argv, so that a dry run shows exactly what would run.
    if (call.args['dry_run'] === true) return done([], toDryRunOutput(spec, settings, timeoutMs, facts));

    const { maxStdoutBytes, maxStderrBytes, onCap } = settings;
    const { attempts = 1, delay_ms: delayMs = 0 } = manifest.retry ?? {};
    for (let attempt = 1; ; attempt += 1) {
      const result = await runner.run(spec, { signal: call.signal, timeoutMs, maxStdoutBytes, maxStderrBytes, onCap });
      const outcome =
        result.kind === 'refused'
          ? toStartFailure(definition, result)
          : toRunOutcome(settings, call, result, timeoutMs, attempts > 1 ? { ...facts, attempts: attempt } : facts);
      // The sandbox vanished since the start, which an operator must know.
      if (result.kind === 'refused' && result.reason === 'sandbox_unavailable')
        settings.onEvent?.('resource_limits.failed', { tool: definition.name, reason: result.message });
      // An aborted call is never repeated.
      if (attempt >= attempts || !isWorthRepeating(outcome) || call.signal.aborted) return outcome;
      await pause(delayMs, call.signal);
      if (call.signal.aborted) return outcome;
    }
  };
}

/** Whether another run may succeed; a timeout has used up the time of the call. */
const isWorthRepeating = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && (outcome.error.code === 'execution_failed' || outcome.error.code === 'crashed');

/** What a dry run returns instead of output. */
function toDryRunOutput(
  spec: ProcessSpec,
  settings: ExecutionSettings,
  timeoutMs: number,
  facts: JsonObject,
): CommandOutput {
  return {
    ...emptyOutput,
    stdout: `Would execute: ${String(facts['command'])}`,
    returncode: 0,
    metadata: {
      ...facts,
      dry_run: true,
      argv: [spec.file, ...spec.args],
      // Names only: values may be secrets.
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

/** Quotes a word for display, as a shell would need it. */
const quoteShellWord = (word: string): string =>
  /^[A-Za-z0-9.:/=+,\-@%_[\]]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** Whether a flag of this call needs privileges that no_new_privs would block. */
const needsNewPrivileges = ({ manifest: { flags } }: CommandDefinition, args: Args): boolean =>
  Object.entries(flags).some(
    ([name, { needs }]) => needs.includes('privileged') && args[name] !== undefined && args[name] !== false,
  );
