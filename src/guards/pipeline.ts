import { compose } from '../core/guard.js';
import type { Stage, StageRecorder } from '../core/stage.js';
import type { Handler, Tool } from '../core/tool.js';
import { allowanceSpec } from './allowance.js';
import { auditSpec } from './audit.js';
import { authorizeSpec } from './authorize.js';
import { breakerSpec } from './breaker.js';
import { callLogSpec } from './call-log.js';
import { concurrencySpec } from './concurrency.js';
import { confirmSpec } from './confirm.js';
import { containSpec } from './contain.js';
import { deadlineSpec } from './deadline.js';
import { extensionsSpec } from './extensions.js';
import { flowSpec } from './flow.js';
import type { PartsOf } from './guard-spec.js';
import { metricsSpec } from './metrics.js';
import { rateLimitSpec } from './rate-limit.js';
import { sanitizeSpec } from './sanitize.js';
import { traceSpec } from './trace.js';
import { validateSpec, vetSpec } from './validate.js';

/** The guards, outermost first; the order is written only here. */
export const guardOrder = [
  auditSpec,
  metricsSpec,
  traceSpec,
  callLogSpec,
  containSpec,
  rateLimitSpec,
  validateSpec,
  authorizeSpec,
  extensionsSpec,
  allowanceSpec,
  confirmSpec,
  flowSpec,
  breakerSpec,
  concurrencySpec,
  deadlineSpec,
  vetSpec,
  sanitizeSpec,
] as const;

/** The guards that can answer with each error code, by their names. */
export const guardsByCode: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set(guardOrder.flatMap(({ answers }) => answers.split(', ')))]
    .filter((code) => /^[a-z_]+$/.test(code))
    .map((code) => [
      code,
      guardOrder
        .filter(({ answers }) => answers.split(', ').includes(code))
        .map(({ name }) => name)
        .join(', '),
    ]),
);

/** What the guards are made of, by name. */
export type GuardParts = PartsOf<typeof guardOrder>;

/** The guards that these parts make, by name and in order. */
const stagesOf = (parts: GuardParts): readonly Stage[] =>
  guardOrder.flatMap(({ name, make }) => {
    const guard = make(parts);
    return guard === undefined ? [] : [{ name, guard }];
  });

/** Composes all guards around a tool, once. */
export function pipeline(parts: GuardParts, recorder?: StageRecorder): (tool: Tool) => Handler {
  const stages = stagesOf(parts);
  return (tool) => compose(stages, tool, tool.run, recorder);
}
