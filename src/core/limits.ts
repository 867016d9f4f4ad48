import { defaultLimits, type DeclaredLimits, type Limits, type Tool } from './tool.js';

/** A value that was outside of the range of its tool. */
export interface LimitClamp {
  readonly limit: keyof Limits;
  readonly given: number;
  readonly used: number;
  readonly range: readonly [number, number];
}

/** What the operator sets: defaults for tools that declare nothing, and exceptions for one tool. */
export interface OperatorLimits {
  readonly defaults: Partial<Limits>;
  /** The defaults that the operator has set; they take precedence over what a tool declares that yields to them. */
  readonly stated?: Partial<Limits>;
  readonly exceptions?: Partial<Limits>;
}

/**
 * Settles the limits of a tool: the operator's exception, else for a built-in tool the default that the operator set, else the
 * declaration, else the default, each within the range that the tool declares. Every tool of every source passes here when it is listed, so no source can forget an exception.
 */
export function settleLimits(
  { limits: declared, ranges = {}, yields = false }: DeclaredLimits,
  { defaults, stated = {}, exceptions = {} }: OperatorLimits,
): { readonly limits: Limits; readonly clamps: readonly LimitClamp[] } {
  const clamps: LimitClamp[] = [];
  const settle = (limit: keyof Limits, given: number, isReported: boolean): number => {
    const range = ranges[limit];
    if (range === undefined) return given;
    const used = Math.min(Math.max(given, range[0]), range[1]);
    if (used !== given && isReported) clamps.push({ limit, given, used, range });
    return used;
  };
  const chosen = (limit: keyof Limits): number => {
    const named = exceptions[limit] ?? (yields ? stated[limit] : undefined) ?? declared[limit];
    return settle(limit, named ?? defaults[limit] ?? defaultLimits[limit], named !== undefined);
  };
  const timeoutMs = chosen('timeoutMs');
  // A longer timeout without a maximum raises the declared maximum.
  const maxTimeoutMs =
    exceptions.maxTimeoutMs === undefined &&
    (exceptions.timeoutMs !== undefined || (yields && stated.timeoutMs !== undefined))
      ? Math.max(chosen('maxTimeoutMs'), timeoutMs)
      : chosen('maxTimeoutMs');
  return {
    limits: {
      timeoutMs: Math.min(timeoutMs, maxTimeoutMs),
      maxTimeoutMs,
      concurrency: chosen('concurrency'),
      queue: chosen('queue'),
      queueTimeoutMs: chosen('queueTimeoutMs'),
      ratePerMinute: chosen('ratePerMinute'),
      maxOutputBytes: chosen('maxOutputBytes'),
    },
    clamps,
  };
}

/** The declaration of a tool, for its definition; `limits` holds until the operator's settings are applied. */
export const declareLimits = (declares: DeclaredLimits): Pick<Tool, 'limits' | 'declares'> => ({
  declares,
  limits: settleLimits(declares, { defaults: {} }).limits,
});
