import type { Json, JsonObject } from '../../src/core/json.js';
import { done, refuse } from '../../src/core/outcome.js';
import type { ToolSource } from '../../src/core/source.js';
import type { Tool } from '../../src/core/tool.js';
import { defaultLimits } from '../../src/core/tool.js';
import { declareLimits } from '../../src/core/limits.js';
import { aTool } from '../support/make.js';

/** Calls of `hold` that run now, by key. */
const held = new Map<string, () => void>();

/** Number of calls of `hold` that run now. */
export const heldCount = (): number => held.size;

/** Ends every call of `hold`. */
export function release(): void {
  for (const end of held.values()) end();
  held.clear();
}

const harmless = { reads: true, writes: false, destroys: false, idempotent: true, openWorld: false, labels: [] };
const anything = {
  schema: { type: 'object' },
  parse: (value: Json) => ({ ok: true as const, value: value as JsonObject }),
};

/** Tools of the embedding program, for keys that concern every tool: they return their text, fail, or run until released. */
export const labSource = (): ToolSource => {
  const tool = (name: string, over: Partial<Tool> = {}): Tool =>
    aTool({
      name,
      source: 'lab',
      input: anything,
      limits: { ...defaultLimits, ratePerMinute: 0, concurrency: 64 },
      effects: harmless,
      run: async ({ args }) => done(String(args['text'] ?? 'said')),
      ...over,
    });
  return {
    id: 'lab',
    list: async () => [
      tool('say', {
        effects: { ...harmless, labels: ['lab:say'] },
        limits: { ...defaultLimits, ratePerMinute: 0, concurrency: 1 },
      }),
      tool('write', { effects: { ...harmless, writes: true, destroys: true, openWorld: true, labels: ['lab:write'] } }),
      tool('read', { effects: { ...harmless, labels: ['reads:private'] } }),
      tool('long', {
        limits: { ...defaultLimits, ratePerMinute: 0, maxOutputBytes: 4096 },
        run: async () => done('x'.repeat(10_000)),
      }),
      tool('fail', { run: async () => refuse('crashed', 'it broke') }),
      tool('rated', declareLimits({ limits: {} })),
      tool('hold', {
        ...declareLimits({ limits: { ratePerMinute: 0 } }),
        run: ({ id, signal }) =>
          new Promise((resolve) => {
            held.set(id, () => resolve(done('released')));
            signal.addEventListener('abort', () => resolve(refuse('timeout', 'over')));
          }),
      }),
    ],
  };
};
