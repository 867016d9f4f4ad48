import type { ProcessSpec, RunOptions, RunResult, Tier } from '../../../processes/process-spec.js';

/** Process runner used by commands: starts a program and reports the available sandbox tiers. */
export interface ProcessRunner {
  run(spec: ProcessSpec, options: RunOptions): Promise<RunResult>;
  tiers(): Promise<SandboxTiers>;
}

/** Availability of each sandbox tier on this machine. */
export interface SandboxTiers {
  readonly bwrap: { readonly available: boolean; readonly reason?: string };
  readonly bwrapNoNetwork: { readonly available: boolean; readonly reason?: string };
  readonly prlimit: { readonly available: boolean; readonly reason?: string };
}

/** The chosen sandbox tier, or why none is usable. */
export type TierChoice = { readonly ok: true; readonly tier: Tier } | { readonly ok: false; readonly reason: string };

/** Sandbox requirements of a manifest. */
interface SandboxRequirement {
  readonly minimum: 'bwrap' | 'prlimit';
  readonly best: 'bwrap' | 'prlimit';
  readonly new_privileges: boolean;
}

/** Chooses the strongest available tier between `minimum` and `best`. */
export function chooseTier(
  tiers: SandboxTiers,
  requirement: SandboxRequirement,
  network: 'host' | 'none',
  isRoot: boolean,
): TierChoice {
  const bwrap = network === 'none' ? tiers.bwrapNoNetwork : tiers.bwrap;
  // bwrap always sets no_new_privs, which disables file capabilities; only root can grant them inside it.
  const best = requirement.new_privileges && !isRoot ? 'prlimit' : requirement.best;
  if (best === 'bwrap' && bwrap.available) return { ok: true, tier: 'bwrap' };
  // Only a network namespace can cut off the network, so a tool with network `none` never falls back to prlimit.
  if (requirement.minimum === 'bwrap' || network === 'none')
    return { ok: false, reason: bwrap.reason ?? 'the bwrap tier is not available' };
  return tiers.prlimit.available
    ? { ok: true, tier: 'prlimit' }
    : { ok: false, reason: tiers.prlimit.reason ?? 'the prlimit tier is not available' };
}
