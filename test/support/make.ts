import type { Rule } from '../../src/access/policy/policy.js';
import type { Call, GuardedCall } from '../../src/core/call.js';
import { schemaContract } from '../../src/core/contract.js';
import type { Guard } from '../../src/core/guard.js';
import { compose } from '../../src/core/guard.js';
import { done } from '../../src/core/outcome.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { ToolProjection } from '../../src/core/prompt.js';
import type { Principal } from '../../src/core/principal.js';
import type { Handler, Limits, Operation, Tool } from '../../src/core/tool.js';
import { defaultLimits, readOnly } from '../../src/core/tool.js';
import { neverAborted } from '../../src/lib/light-signal.js';

/** Principal with every right. */
export const ada: Principal = { id: 'ada', name: 'Ada', kind: 'token', roles: ['admin'] };
/** Principal without particular rights. */
export const bob: Principal = { id: 'bob', name: 'Bob', kind: 'token', roles: ['user'] };

/** A rule that matches everything, with the given fields. */
export const aRule = (over: Partial<Rule> & Pick<Rule, 'id' | 'action'>): Rule => ({
  confirm: 'caller',
  principals: [],
  roles: [],
  tools: [],
  sources: [],
  labels: [],
  effects: [],
  doors: [],
  args: {},
  ...over,
});

export const never: AbortSignal = neverAborted();

export function aTool(over: Partial<Omit<Tool, 'limits'>> & { readonly limits?: Partial<Limits> } = {}): Tool {
  const { limits, ...rest } = over;
  return {
    name: 'echo',
    description: 'Says what it is told',
    source: 'test',
    input: schemaContract({ type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false }),
    effects: readOnly,
    run: (call) => Promise.resolve(done(String(call.args['text'] ?? ''))),
    ...rest,
    limits: { ...defaultLimits, ...limits },
  };
}

/** A call as a source gets it; tests of guards use it as a plain call. */
export function aCall(over: Partial<Call> = {}): GuardedCall {
  const call: Call = {
    id: 'id',
    tool: 'echo',
    principal: ada,
    via: 'rest',
    args: {},
    receivedAt: 0,
    signal: never,
    correlationId: 'c1',
    ...over,
  };
  return call as GuardedCall; // tests of sources have no pipeline
}

/** Runs a handler behind guards, as the pipeline would. */
export const guarded = (guards: readonly Guard[], run: Operation, tool: Tool = aTool()): Handler =>
  compose(
    guards.map((guard, index) => ({ name: guard.name || `guard ${index}`, guard })),
    tool,
    run,
  );

/** Reads a resource as its source does, without a pipeline. */
export const readAs = (
  resource: { readonly read: Operation | ToolProjection } | undefined,
  call: GuardedCall,
): Promise<Outcome> => {
  if (typeof resource?.read !== 'function') throw new Error('not a resource with a handler of its own');
  return resource.read(call);
};

/** Ends only when its signal fires, as a tool that hangs and then obeys. */
export const untilAborted: Handler = (call) =>
  new Promise<Outcome>((resolve) => {
    call.signal.addEventListener(
      'abort',
      () => resolve({ kind: 'failed', error: { code: 'cancelled', message: 'stopped' } }),
      { once: true },
    );
  });

/** A clock that moves only when told. */
export function handClock(start = 0): { (): number; advance(ms: number): void } {
  let now = start;
  return Object.assign(() => now, { advance: (ms: number) => void (now += ms) });
}

/** A promise and the means to settle it. */
export function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
