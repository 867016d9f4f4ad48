import { expectedNames } from '../../config/new-names.js';
import type { Config } from '../../config/schema.js';
import type { View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import { listedName, type Tool } from '../../core/tool.js';
import type { RegistryState } from '../../registry/registry.js';
import type { Visibility } from '../../registry/visible-lists.js';
import { sourceKinds } from '../../sources/index.js';
import type { SourceKind } from '../../sources/kind.js';
import { storedResultsId } from '../../sources/stored-results.js';
import type { Control } from '../control.js';
import { control as makeControl } from '../control.js';
import type { HypotheticalCall } from '../policy/explain.js';
import { explainer } from '../policy/explain.js';
import type { Flows } from '../flows/flows.js';
import { flows as makeFlows } from '../flows/flows.js';
import type { LabelsOf } from '../flows/labels.js';
import { labeller } from '../flows/labels.js';
import type { CallLimits } from '../limits/limits.js';
import { callLimits } from '../limits/limits.js';
import type { CompiledRule, Policy, RuleProblem } from '../policy/policy.js';
import { accessPolicy as makePolicy, compileRules } from '../policy/policy.js';
import type { Profiles } from '../profiles.js';
import { profiles as makeProfiles } from '../profiles.js';
import type { UnknownName } from '../policy/unknown-names.js';
import { unknownNames } from '../policy/unknown-names.js';
import { awaitedNames } from './awaited-names.js';
import type { CallerMemory } from './caller-memory.js';

/** Compiled access rules of one configuration. */
export interface Rules {
  readonly control: Control;
  readonly policy: Policy;
  readonly flows: Flows;
  readonly labelsOf: LabelsOf;
  readonly profiles: Profiles;
  readonly allowances: CallLimits;
  readonly visibility: Visibility;
  explain(supposed: HypotheticalCall): Promise<JsonObject>;
  /** Which part of the rules hides a tool from a view. */
  whyHidden(view: View, tool: Tool): string;
  /** Names in the rules that match nothing; complete once all sources are listed. */
  unknown(registry: RegistryState): readonly UnknownName[];
}

/** Compiles the rules of a configuration, or returns their problems. */
export function compileAccess(
  { access, policy, flows, sources, tool }: Config,
  remembered: CallerMemory,
  kinds: readonly SourceKind[] = sourceKinds,
): { readonly ok: true; readonly rules: Rules } | { readonly ok: false; readonly problems: readonly RuleProblem[] } {
  const labelsOf = labeller(flows);
  const { rules, problems } = compileRules(policy.rules, labelsOf);
  // All problems at once, so that one attempt fixes the file.
  const all = [...problems, ...unknownProfiles(access)];
  if (all.length > 0) return { ok: false, problems: all };
  const judged = makePolicy(rules);
  const memory = makeFlows({
    rules: flows.rules,
    readLabels: labelsRead(rules),
    labelsOf,
    conversations: flows.conversations,
    rememberMs: flows.remember_seconds * 1000,
    maxConversations: flows.max_conversations,
    memory: remembered.flows,
  });
  const control = makeControl({
    policy: judged,
    flows: memory,
    labelsOf,
    confirmEffects: policy.confirmation.effects,
    // Parts of the caller's own results need no rule.
    ownSource: storedResultsId,
  });
  const parts = makeProfiles({ profiles: access.profiles, roles: access.roles, labelsOf });
  const allowances = callLimits(access.limits, { rates: remembered.rates, budgets: remembered.budgets });
  return {
    ok: true,
    rules: {
      control,
      policy: judged,
      allowances,
      labelsOf,
      flows: memory,
      profiles: parts,
      visibility: {
        // Callers with the same key see the same lists, so that lists are computed once per group.
        group: (view) => `${parts.key(view)}|${judged.key(view.principal)}`,
        isVisible: (view, item) =>
          item.source === storedResultsId ||
          // A tool that no rule can allow is hidden: listing it would invite calls that are always refused.
          (parts.holds(view, item) && (!isTool(item) || judged.couldAllow(view.principal, item))),
      },
      whyHidden(view, tool) {
        if (!parts.usable(view)) return `profile ${view.profile ?? ''} is unknown, or not one of this caller`;
        if (!parts.holds(view, tool)) return `profile ${parts.key(view)} does not include it`;
        return judged.couldAllow(view.principal, tool)
          ? 'it is listed with the next change of the tools'
          : 'no rule of the policy can allow it';
      },
      explain: explainer({
        control,
        policy: judged,
        labelsOf,
        limits: (principal, tool) => allowances.about(principal, tool),
      }),
      unknown(registry) {
        // Stored results are internal; rules do not name them.
        const there = Object.keys(registry.health()).filter((id) => id !== storedResultsId);
        const tools = [...registry.catalogue().tools.values()];
        const awaited = awaitedNames(sources, registry, kinds);
        return unknownNames(rules, {
          tools,
          sources: [...there, ...Object.keys(sources)],
          awaited,
          expected: expectedNames(tool.overrides, new Set(tools.map(listedName)), awaited),
        });
      },
    },
  };
}

/** Labels of the conversation that some expression can read. */
const labelsRead = (rules: readonly CompiledRule[]): readonly string[] | 'all' => {
  const all: string[] = [];
  for (const { sessionLabels } of rules) {
    if (sessionLabels === 'all') return 'all';
    all.push(...sessionLabels);
  }
  return all;
};

/** What visibility is decided about: tools, prompts and resources. */
type VisibleItem = Parameters<Visibility['isVisible']>[1];
/** Only tools have effects. */
const isTool = (item: VisibleItem): item is Parameters<Control['decide']>[1] => 'effects' in item;

/** Profiles that roles or the local user name and that do not exist. */
function unknownProfiles({ profiles, roles, local_profile: local }: Config['access']): readonly RuleProblem[] {
  const named = [
    ...Object.entries(roles).flatMap(([role, one]) =>
      one.profiles.map((name) => [`access.roles.${role}.profiles`, name] as const),
    ),
    ...(local === undefined ? [] : [['access.local_profile', local] as const]),
  ];
  return named
    .filter(([, name]) => !Object.hasOwn(profiles, name))
    .map(([path, name]) => ({ path, message: `unknown profile ${name}` }));
}
