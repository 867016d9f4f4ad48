import { spawnSync } from 'node:child_process';
import {
  context,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Span,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { afterEach, expect, test } from 'vitest';
import type { Call } from '../core/call.js';
import { done, refuse } from '../core/outcome.js';
import { aCall, aTool, guarded, untilAborted } from '../../test/support/make.js';
import { aProgram } from '../../test/support/program.js';
import { tracing } from './trace.js';

afterEach(() => trace.disable());

interface Started {
  readonly name: string;
  readonly options: SpanOptions;
  readonly parent: string | undefined;
  readonly said: unknown[];
}

/** A small SDK: it remembers the spans and gives them ids. */
function anSdk(): Started[] {
  const started: Started[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, from: Context = context.active()): Span => {
    const said: unknown[] = [];
    started.push({ name, options, parent: trace.getSpanContext(from)?.spanId, said });
    const traceId = trace.getSpanContext(from)?.traceId ?? 'c'.repeat(32);
    const span: Partial<Span> = {
      spanContext: () => ({ traceId, spanId: 'd'.repeat(16), traceFlags: 1 }),
      setAttribute: (key, value) => (said.push([key, value]), span as Span),
      setStatus: (status) => (said.push(status), span as Span),
      end: () => void said.push('end'),
    };
    return span as Span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as unknown as Tracer });
  return started;
}

test('without an SDK the guard is gone', async () => {
  const next = untilAborted;
  expect((await tracing())(aTool(), next)).toBe(next);
});

test('without an SDK the API is not loaded', () => {
  const program = aProgram(
    `import { tracing } from './src/guards/trace.js';
     import { createRequire } from 'node:module';
     await tracing();
     const paths = Object.keys(createRequire(import.meta.url).cache);
     console.log(Object.getOwnPropertySymbols(globalThis).some((symbol) => String(symbol).includes('opentelemetry')), paths.length);`,
  );
  expect(spawnSync(process.execPath, [program], { encoding: 'utf8' }).stdout).toBe('false 0\n');
});

test('a span has the caller as its parent, and is the parent of what the tool sends on', async () => {
  const started = anSdk();
  let seen: Call | undefined;
  const call = guarded([await tracing()], (each) => {
    seen = each;
    return Promise.resolve(done('ok'));
  });
  await call(aCall({ trace: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'x=y' } }));
  expect(started).toMatchObject([{ name: 'execute_tool echo', parent: 'b'.repeat(16), said: ['end'] }]);
  expect(started[0]?.options.attributes).toMatchObject({ 'gen_ai.tool.name': 'echo', 'toolgate.correlation_id': 'c1' });
  expect(seen?.trace?.traceparent).toBe(`00-${'a'.repeat(32)}-${'d'.repeat(16)}-01`);
});

test('a call without a trace begins one, even inside a span of ours', async () => {
  const started = anSdk();
  const call = guarded([await tracing()], () => Promise.resolve(done('ok')));
  await context.with(ROOT_CONTEXT, () => call(aCall()));
  expect(started[0]?.parent).toBeUndefined();
});

test('a failure is recorded by its code and never by its message', async () => {
  const started = anSdk();
  await guarded([await tracing()], () => Promise.resolve(refuse('timeout', 'secret text')))(aCall());
  expect(started[0]?.said).toEqual([['error.type', 'timeout'], { code: 2, message: 'timeout' }, 'end']);
});

test('a span ends when the tool throws', async () => {
  const started = anSdk();
  await guarded([await tracing()], () => Promise.reject(new Error('bug')))(aCall()).catch(() => undefined);
  expect(started[0]?.said).toEqual(['end']);
});
