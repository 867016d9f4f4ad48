import type { Call } from '../core/call.js';
import { deriveCall } from '../core/derive-call.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { fromTraceparent, toTraceparent } from '../lib/trace-context.js';
import { guardSpec } from './guard-spec.js';

type Api = typeof import('@opentelemetry/api');

/** Global under which the OpenTelemetry API registers an SDK. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * Creates a span around every call if an OpenTelemetry SDK was loaded first; its parent is the caller's trace, and it is the parent of
 * the tool's own requests. Without an SDK the guard is a no-op and the API is not loaded.
 */
export async function tracing(): Promise<Guard> {
  if (!isRegistered()) return (_tool, next) => next;
  const api = await import('@opentelemetry/api');
  const tracer = api.trace.getTracer('toolgate');

  return (tool, next) => async (call) => {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.name,
      'toolgate.via': call.via,
      'toolgate.correlation_id': call.correlationId,
    };
    const span = tracer.startSpan(
      `execute_tool ${tool.name}`,
      { kind: api.SpanKind.SERVER, attributes },
      parentOf(api, call),
    );
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const state = traceState?.serialize();
    const trace = {
      traceparent: toTraceparent({ traceId, spanId, sampled: (traceFlags & 1) === 1 }),
      ...(state && { tracestate: state }),
    };
    try {
      const traced = api.trace.setSpan(api.context.active(), span);
      const outcome = await api.context.with(traced, next, undefined, deriveCall(call, { trace }));
      const code = errorCodeOf(outcome);
      if (code !== undefined) {
        span.setAttribute('error.type', code);
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: code });
      }
      return outcome;
    } finally {
      span.end();
    }
  };
}

function isRegistered(): boolean {
  const found: unknown = Reflect.get(globalThis, REGISTERED);
  return typeof found === 'object' && found !== null && 'trace' in found && found.trace !== undefined;
}

function parentOf(api: Api, call: Call) {
  const parent = call.trace && fromTraceparent(call.trace.traceparent);
  if (!parent) return api.ROOT_CONTEXT;
  const state = call.trace?.tracestate;
  return api.trace.setSpanContext(api.ROOT_CONTEXT, {
    traceId: parent.traceId,
    spanId: parent.spanId,
    isRemote: true,
    traceFlags: parent.sampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE,
    ...(state !== undefined && { traceState: api.createTraceState(state) }),
  });
}

const errorCodeOf = (outcome: Outcome): string | undefined =>
  outcome.kind === 'failed' ? outcome.error.code : undefined;

export const traceSpec = guardSpec({
  name: 'trace',
  does: 'opens a span if an OpenTelemetry SDK is loaded',
  answers: '',
  make: ({ trace }: { readonly trace?: Guard }) => trace,
});
