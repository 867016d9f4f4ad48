import type { Call } from '../core/call.js';
import type { Tool } from '../core/tool.js';
import { anyGlob } from '../lib/glob.js';
import type { FlowMemory, Memory } from './flow-memory.js';
import { flowMemory } from './flow-memory.js';
import type { LabelsOf } from './labels.js';

/** A sequence of labels that is denied or needs approval. */
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
  /** Labels recorded under an earlier configuration: a reload must not clear them. */
  readonly memory?: FlowMemory;
  readonly now?: () => number;
}

/** Records labels by conversation and matches flow rules against them (exfiltration control). */
export interface Flows {
  /** Labels of the calls made so far in this conversation. */
  seen(call: Call): readonly string[];
  /** Rules that match this call, deny rules first. */
  against(call: Call, tool: Tool): readonly FlowRule[];
  /** Records that a tool ran; `more` are labels derived from its result. */
  note(call: Call, tool: Tool, more?: readonly string[]): void;
  size(): number;
}

/** `_meta` key by which a host without sessions identifies conversations; a model cannot set it. */
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
    // Above the limit conversations share one record: opening many of them must not evict the labels of earlier ones.
    return kept.get(key) !== undefined || kept.countOf(principal.id) < mostPerPrincipal ? key : own;
  };
  const recall = (call: Call): Memory | undefined => {
    const key = keyOf(call);
    const memory = kept.get(key);
    if (memory === undefined) return undefined;
    if (now() - memory.at <= rememberMs) return memory;
    kept.evict(key);
    return undefined;
  };
  const sweep = (): void => {
    for (let last = kept.oldest(); last !== undefined; last = kept.oldest()) {
      if (kept.size <= maxConversations && now() - last.memory.at <= rememberMs) return;
      kept.evict(last.key);
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
      // New labels are persisted at once, a mere use only occasionally, so most calls write nothing.
      if (memory.labels.size > before || memory.at - memory.writtenAt > rememberMs / 10)
        kept.write(key, memory.at + rememberMs);
      sweep();
    },
  };
}
