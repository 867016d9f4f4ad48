import type { Guard } from '../core/guard.js';
import { compose } from '../core/guard.js';
import type { Handler, Tool } from '../core/tool.js';
import { concurrency } from './concurrency.js';
import { deadline } from './deadline.js';
import { sanitize } from './sanitize.js';
import { validate } from './validate.js';

/** The guards that need to know someone outside this room; `serve.ts` introduces them. */
export interface Wired {
  readonly audit: Guard;
  readonly metrics: Guard;
  readonly trace: Guard;
  readonly callLog: Guard;
  readonly contain: Guard;
  readonly authorize: Guard;
  readonly rateLimit: Guard;
  readonly allowance: Guard;
  readonly confirm: Guard;
  readonly flow: Guard;
  readonly breaker: Guard;
  readonly sanitize: Guard;
}

/** THE order of protection, outermost first. */
export const order = (wired: Wired): readonly Guard[] => [
  wired.audit,
  wired.metrics,
  wired.trace,
  wired.callLog,
  wired.contain,
  validate,
  wired.authorize,
  wired.rateLimit,
  wired.allowance,
  wired.confirm,
  wired.flow,
  wired.breaker,
  concurrency,
  deadline(),
  wired.sanitize,
];

/** Wires every guard around a tool, once. */
export const pipeline = (wired: Wired): ((tool: Tool) => Handler) => {
  const guards = order(wired);
  return (tool) => compose(guards, tool, tool.run);
};

/** A guard that is not there. */
export const absent: Guard = (_tool, next) => next;

/** None of them: what is left are the guards that need nobody. */
export const unwired: Wired = {
  audit: absent,
  metrics: absent,
  trace: absent,
  callLog: absent,
  contain: absent,
  authorize: absent,
  rateLimit: absent,
  allowance: absent,
  confirm: absent,
  flow: absent,
  breaker: absent,
  sanitize: sanitize(),
};
