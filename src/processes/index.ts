export { processes, type Processes, type ProcessesOptions } from './processes.js';
export type { Launch } from './launch.js';
export { resolveProgram, type Program, type ProgramProblem } from './programs.js';
export type { OpenHandlers, OpenProcess, ProcessExit } from './open-process.js';
export type {
  Finished,
  GuardedProfile,
  ProcessLimits,
  ProcessSpec,
  RefusalReason,
  Refused,
  RunOptions,
  RunResult,
  Tier,
} from './process-spec.js';
export { protectedPaths, type ProtectedPaths } from './protected-paths.js';
export type { TierReport, TierState } from './tiers.js';
export { fixedPath } from './executables.js';
