import type { Call } from '../core/call.js';
import type { Tool } from '../core/tool.js';
import { anyGlob } from '../lib/glob.js';
import type { FlowMemory, Memory } from './flow-memory.js';
import { flowMemory } from './flow-memory.js';
import type { LabelsOf } from './labels.js';

/** A combination of calls that is forbidden or needs a confirmation. */
export interface FlowRule {
  readonly id: string;
  readonly after: readonly string[];
  readonly to: readonly string[];
  readonly action: 'deny' | 'confirm';
  readonly confirm: 'caller' | 'operator';
  readonly reason?: string;
}

export interface FlowOptions {
  readonly rules: readonly FlowRule[];
  readonly labelsOf: LabelsOf;
  readonly conversations: 'session' | 'principal';
  readonly rememberMs: number;
  readonly maxConversations: number;
  /** What was remembered under an earlier configuration: a reload must not wash anybody clean. */
  readonly memory?: FlowMemory;
  readonly now?: () => number;
}

/** What has been touched in each conversation, and what must not follow it. */
export interface Flows {
  /** Labels of the calls made so far in this conversation. */
  seen(call: Call): readonly string[];
  /** The first rule of each kind that this call would fall under, the forbidding one first. */
  against(call: Call, tool: Tool): readonly FlowRule[];
  /** Remembers that a tool ran; `more` are labels its result earned. */
  note(call: Call, tool: Tool, more?: readonly string[]): void;
  size(): number;
}

/** The `_meta` key by which a host without sessions may tell conversations apart; a model cannot set it. */
export const conversationKey = 'toolgate/conversation';
const mostPerPrincipal = 1_000;
const mostLabels = 64;
const longestHandle = 128;

/** Flow rules over labels; memory is bounded and expires. */
export function flows({
  rules,
  labelsOf,
  conversations,
  rememberMs,
  maxConversations,
  memory: kept = flowMemory(),
  now = Date.now,
}: FlowOptions): Flows {
  const compiled = rules.map((rule) => ({ rule, after: anyGlob(rule.after), to: anyGlob(rule.to) }));
  const byTool = new WeakMap<Tool, typeof compiled>();

  const keyOf = ({ principal, session, meta }: Call): string => {
    const own = `${principal.id}\0`;
    if (conversations === 'principal') return own;
    const handle = meta?.[conversationKey];
    const name = session ?? (typeof handle === 'string' && handle.length <= longestHandle ? handle : '');
    const key = `${own}${name}`;
    // Whoever opens conversations without end would push out what is remembered of the first: the rest share one memory.
    return kept.get(key) !== undefined || kept.countOf(principal.id) < mostPerPrincipal ? key : own;
  };
  const recall = (call: Call): Memory | undefined => {
    const key = keyOf(call);
    const memory = kept.get(key);
    if (memory === undefined) return undefined;
    if (now() - memory.at <= rememberMs) return memory;
    kept.forget(key);
    return undefined;
  };
  const sweep = (): void => {
    for (let last = kept.oldest(); last !== undefined; last = kept.oldest()) {
      if (kept.size <= maxConversations && now() - last.memory.at <= rememberMs) return;
      kept.forget(last.key);
    }
  };

  return {
    size: () => kept.size,
    seen: (call) => [...(recall(call)?.labels ?? [])],
    against(call, tool) {
      let about = byTool.get(tool);
      if (about === undefined) byTool.set(tool, (about = compiled.filter(({ to }) => labelsOf(tool).some(to))));
      if (about.length === 0) return [];
      const memory = recall(call);
      if (memory === undefined) return [];
      const found = about.filter(({ after }) => [...memory.labels].some(after)).map(({ rule }) => rule);
      return found.sort((a, b) => Number(b.action === 'deny') - Number(a.action === 'deny'));
    },
    note(call, tool, more = []) {
      const labels = [...labelsOf(tool), ...more];
      if (labels.length === 0) return;
      const key = keyOf(call);
      const memory: Memory = kept.get(key) ?? {
        owner: call.principal.id,
        labels: new Set(),
        at: now(),
        writtenAt: 0,
      };
      const before = memory.labels.size;
      memory.at = now();
      for (const label of labels) if (memory.labels.size < mostLabels) memory.labels.add(label);
      kept.put(key, memory);
      // What is new is kept at once, what is only used again now and then: a call rarely writes.
      if (memory.labels.size > before || memory.at - memory.writtenAt > rememberMs / 10)
        kept.write(key, memory.at + rememberMs);
      sweep();
    },
  };
}
