export { processTree } from './process-tree.js';
export { processes, type Processes } from './processes.js';
export { resolveProgram, type Program, type ProgramProblem } from './programs.js';
export type { OpenHandlers, OpenProcess, ProcessExit } from './open-process.js';
export type {
  Finished,
  GuardedProfile,
  ProcessLimits,
  ProcessSpec,
  Refused,
  RunOptions,
  RunResult,
  Tier,
} from './process-spec.js';
export type { TierReport } from './sandbox/tiers.js';
export { fixedPath } from './executables.js';
