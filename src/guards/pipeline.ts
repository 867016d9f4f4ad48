import type { Guard } from '../core/guard.js';
import { compose } from '../core/guard.js';
import type { Handler, Tool } from '../core/tool.js';
import { concurrency } from './concurrency.js';
import { deadline } from './deadline.js';
import { sanitize } from './sanitize.js';
import { validate, vet } from './validate.js';

/** Guards that depend on other rooms; `serve.ts` creates them. */
export interface ConfiguredGuards {
  readonly audit: Guard;
  readonly metrics: Guard;
  readonly trace: Guard;
  readonly callLog: Guard;
  readonly contain: Guard;
  readonly authorize: Guard;
  /** Guards of the embedding program. */
  readonly extensions: Guard;
  readonly rateLimit: Guard;
  readonly allowance: Guard;
  readonly confirm: Guard;
  readonly flow: Guard;
  readonly breaker: Guard;
  readonly sanitize: Guard;
}

/** The order of guards, outermost first; written only here. */
const guardOrder = (configured: ConfiguredGuards): readonly Guard[] => [
  configured.audit,
  configured.metrics,
  configured.trace,
  configured.callLog,
  configured.contain,
  configured.rateLimit,
  validate,
  configured.authorize,
  configured.extensions,
  configured.allowance,
  configured.confirm,
  configured.flow,
  configured.breaker,
  concurrency,
  deadline(),
  vet,
  configured.sanitize,
];

/** Composes all guards around a tool, once. */
export const pipeline = (configured: ConfiguredGuards): ((tool: Tool) => Handler) => {
  const guards = guardOrder(configured);
  return (tool) => compose(guards, tool, tool.run);
};

/** Guard that does nothing. */
export const noopGuard: Guard = (_tool, next) => next;

/** One guard for a list of guards, the first one outermost. */
export const guardList =
  (guards: readonly Guard[]): Guard =>
  (tool, next) =>
    guards.reduceRight((inner, guard) => guard(tool, inner), next);

/** No configured guards: only those without dependencies are active. */
export const noopGuards: ConfiguredGuards = {
  audit: noopGuard,
  metrics: noopGuard,
  trace: noopGuard,
  callLog: noopGuard,
  contain: noopGuard,
  authorize: noopGuard,
  extensions: noopGuard,
  rateLimit: noopGuard,
  allowance: noopGuard,
  confirm: noopGuard,
  flow: noopGuard,
  breaker: noopGuard,
  sanitize: sanitize(),
};
