import type { ProcessSpec, RunOptions, RunResult } from '../../processes/spec.js';

/** The part of process handling a command needs: start one program, and know how it can be held. */
export interface Runner {
  run(spec: ProcessSpec, options: RunOptions): Promise<RunResult>;
  tiers(): Promise<HoldingTiers>;
}

/** Which tiers work on this machine. */
export interface HoldingTiers {
  readonly bwrap: { readonly available: boolean; readonly reason?: string };
  readonly bwrapNoNetwork: { readonly available: boolean; readonly reason?: string };
  readonly prlimit: { readonly available: boolean; readonly reason?: string };
}

/** How a tool is held when it runs, or why it cannot be. */
export type Holding =
  { readonly ok: true; readonly tier: 'bwrap' | 'prlimit' } | { readonly ok: false; readonly reason: string };

/** What a manifest asks of the sandbox. */
export interface Wanted {
  readonly minimum: 'bwrap' | 'prlimit';
  readonly best: 'bwrap' | 'prlimit';
  readonly new_privileges: boolean;
}

/** The strongest tier available between the weakest a tool accepts and the strongest it can work in. */
export function holding(tiers: HoldingTiers, wanted: Wanted, network: 'host' | 'none', isRoot: boolean): Holding {
  const bwrap = network === 'none' ? tiers.bwrapNoNetwork : tiers.bwrap;
  // bwrap takes away the file capabilities a program lives by; only root can hand them back.
  const best = wanted.new_privileges && !isRoot ? 'prlimit' : wanted.best;
  if (best === 'bwrap' && bwrap.available) return { ok: true, tier: 'bwrap' };
  // Without a namespace nothing keeps a program off the network, so a tool that must have none is not run weaker.
  if (wanted.minimum === 'bwrap' || network === 'none')
    return { ok: false, reason: bwrap.reason ?? 'the bwrap tier cannot be used' };
  return tiers.prlimit.available
    ? { ok: true, tier: 'prlimit' }
    : { ok: false, reason: tiers.prlimit.reason ?? 'the prlimit tier cannot be used' };
}
