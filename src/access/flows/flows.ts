import type { Call } from '../../core/call.js';
import type { Tool } from '../../core/tool.js';
import { after, type Soon } from '../../lib/soon.js';
import { anyGlob } from '../../lib/text/glob.js';
import type { FlowMemory, Memory } from './flow-memory.js';
import { flowMemory, labelsIn } from './flow-memory.js';
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
  /** Labels that expressions of policy rules read; others than these and those of the flow rules are not recorded. */
  readonly readLabels?: readonly string[] | 'all';
  readonly labelsOf: LabelsOf;
  readonly conversations: 'session' | 'principal';
  readonly rememberMs: number;
  readonly maxConversations: number;
  /** Labels recorded under an earlier configuration: a reload must not clear them. */
  readonly memory?: FlowMemory;
  readonly now?: () => number;
}

/** The labels of one running call. */
interface FlowEntry {
  /** Resolves when the labels are recorded, also for the other replicas. */
  readonly saved?: Soon<void>;
  /** Keeps the labels and adds those derived from the result; takes them back if the tool was never reached. */
  leave(hasRun: boolean, earned?: readonly string[]): Soon<void>;
}

/** Records labels by conversation and matches flow rules against them (exfiltration control). */
export interface Flows {
  /** Recorded labels of this conversation, also of calls that still run; undefined if it touched more than are kept. */
  seen(call: Call): readonly string[] | undefined;
  /** Reads the labels that other replicas recorded, if a decision about this tool needs them; rejects if they are unknown. */
  pull(call: Call, tool: Tool): Soon<void>;
  /** Rules that match this call, deny rules first. */
  against(call: Call, tool: Tool): readonly FlowRule[];
  /** Records the labels of a tool before it runs: data can leave by progress messages while it still runs. */
  enter(call: Call, tool: Tool): FlowEntry;
  /** Records that a tool ran; `more` are labels derived from its result. */
  note(call: Call, tool: Tool, more?: readonly string[]): Soon<void>;
  size(): number;
}

/** `_meta` key by which a host without sessions identifies conversations; a model cannot set it. */
export const conversationKey = 'toolgate/conversation';
const mostPerPrincipal = 1_000;
/** Beyond this a conversation counts as having touched everything: a cap that forgets could be filled on purpose. */
const mostLabels = 1_024;
const longestHandle = 128;
const mostSpared = 100;

/** Flow rules over labels; memory is bounded and expires. */
export function flows({
  rules,
  readLabels = [],
  labelsOf,
  conversations,
  rememberMs,
  maxConversations,
  memory: kept = flowMemory(),
  now = Date.now,
}: FlowOptions): Flows {
  const compiled = rules.map((rule) => ({ rule, after: anyGlob(rule.after), to: anyGlob(rule.to) }));
  const byTool = new WeakMap<Tool, typeof compiled>();
  // A closed set: labels that no rule can match are not recorded, so that harmless ones cannot crowd out others.
  const isInAfter = anyGlob(rules.flatMap(({ after }) => after));
  const isRead = readLabels === 'all' ? () => true : (label: string) => readLabels.includes(label);
  const isRelevant = (label: string): boolean => (rules.length > 0 && isInAfter(label)) || isRead(label);
  const relevantByTool = new WeakMap<Tool, readonly string[]>();
  const relevantOf = (tool: Tool): readonly string[] => {
    let found = relevantByTool.get(tool);
    if (found === undefined) relevantByTool.set(tool, (found = labelsOf(tool).filter(isRelevant)));
    return found;
  };

  const keyOf = ({ principal, session, meta }: Call): string => {
    const own = `${principal.id}\0`;
    if (conversations === 'principal') return own;
    const handle = meta?.[conversationKey];
    const named = typeof handle === 'string' && handle.length <= longestHandle ? handle : '';
    // A host may keep several conversations on one connection.
    const name = session === undefined || named === '' ? (session ?? named) : `${session}\0${named}`;
    const key = `${own}${name}`;
    // Above the limit conversations share one record: opening many of them must not evict the labels of earlier ones.
    // Replicas count differently, so a shared record is always that of the conversation.
    return kept.isShared || kept.get(key) !== undefined || kept.countOf(principal.id) < mostPerPrincipal ? key : own;
  };
  const isExpired = ({ at, running }: Memory): boolean => running.size === 0 && now() - at > rememberMs;
  const recall = (call: Call): Memory | undefined => {
    const key = keyOf(call);
    const memory = kept.get(key);
    if (memory === undefined) return undefined;
    if (!isExpired(memory)) return memory;
    kept.evict(key);
    return undefined;
  };
  const sweep = (): void => {
    let spared = 0;
    for (let last = kept.oldest(); last !== undefined; last = kept.oldest()) {
      if (kept.size <= maxConversations && !isExpired(last.memory)) return;
      // A conversation with a running call is moved back in the order: its data may still be on the way out.
      if (last.memory.running.size > 0 && spared++ < mostSpared) kept.put(last.key, last.memory);
      else kept.evict(last.key);
    }
  };

  const persist = (key: string, memory: Memory): Soon<void> => kept.write(key, memory.at + rememberMs);
  const touch = (key: string, memory: Memory, hasNew: boolean): Soon<void> => {
    memory.at = now();
    kept.put(key, memory);
    // New labels are persisted at once, a mere use only occasionally, so most calls write nothing.
    const saved = hasNew || memory.at - memory.writtenAt > rememberMs / 10 ? persist(key, memory) : undefined;
    sweep();
    return saved;
  };

  const rulesAbout = (tool: Tool): typeof compiled => {
    let about = byTool.get(tool);
    if (about === undefined) byTool.set(tool, (about = compiled.filter(({ to }) => labelsOf(tool).some(to))));
    return about;
  };
  const newMemory = ({ principal }: Call): Memory => ({
    owner: principal.id,
    labels: new Set(),
    running: new Map(),
    at: now(),
    writtenAt: 0,
  });

  const enter = (call: Call, tool: Tool): FlowEntry => {
    const labels = relevantOf(tool);
    const key = keyOf(call);
    // An expired record must not come back to life.
    const before = recall(call);
    let memory = before;
    let saved: Soon<void> = undefined;
    if (labels.length > 0) {
      memory ??= newMemory(call);
      const isNew = labels.some((label) => memory?.labels.has(label) === false && !memory.running.has(label));
      for (const label of labels) memory.running.set(label, (memory.running.get(label) ?? 0) + 1);
      saved = touch(key, memory, isNew);
    }
    const entered = memory;
    return {
      saved,
      leave(hasRun, earned = []) {
        if (entered !== undefined && labels.length > 0) for (const label of labels) decrement(entered.running, label);
        const added = hasRun ? [...labels, ...earned.filter(isRelevant)] : [];
        // The record may have been evicted meanwhile, or made by another call.
        const known = kept.get(key) ?? entered;
        if (added.length === 0) {
          if (known === undefined) return undefined;
          if (known.labels.size > 0 || known.running.size > 0)
            return labels.length > 0 ? persist(key, known) : undefined;
          return kept.evict(key);
        }
        const target = known ?? newMemory(call);
        // Labels of the tool were persisted on entry.
        const hasNew = added.some((label) => !target.labels.has(label) && !labels.includes(label));
        for (const label of added) if (target.labels.size <= mostLabels) target.labels.add(label);
        return touch(key, target, hasNew);
      },
    };
  };
  const isFull = ({ labels, running }: Memory): boolean => labels.size + running.size > mostLabels;

  return {
    size: () => kept.size,
    seen(call) {
      const memory = recall(call);
      if (memory === undefined) return [];
      return isFull(memory) ? undefined : labelsIn(memory);
    },
    pull(call, tool) {
      if (!kept.isShared || (rulesAbout(tool).length === 0 && readLabels.length === 0)) return undefined;
      const key = keyOf(call);
      return after(kept.pull(key), (labels) => {
        if (labels.length === 0) return;
        const memory = recall(call) ?? newMemory(call);
        for (const label of labels) memory.labels.add(label);
        kept.put(key, memory);
      });
    },
    against(call, tool) {
      const about = rulesAbout(tool);
      if (about.length === 0) return [];
      const memory = recall(call);
      if (memory === undefined) return [];
      const labels = labelsIn(memory);
      const found = about.filter(({ after }) => isFull(memory) || labels.some(after)).map(({ rule }) => rule);
      return found.sort((a, b) => Number(b.action === 'deny') - Number(a.action === 'deny'));
    },
    enter,
    note: (call, tool, more) => {
      const entry = enter(call, tool);
      return after(entry.saved, () => entry.leave(true, more));
    },
  };
}

function decrement(counts: Map<string, number>, label: string): void {
  const left = (counts.get(label) ?? 0) - 1;
  if (left > 0) counts.set(label, left);
  else counts.delete(label);
}
