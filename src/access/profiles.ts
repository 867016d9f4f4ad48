import type { View } from '../core/gateway.js';
import type { Principal } from '../core/principal.js';
import type { Tool } from '../core/tool.js';
import { glob, type TextMatcher } from '../lib/text/glob.js';
import type { LabelsOf } from './flows/labels.js';

/** A named subset of the catalogue. */
interface Profile {
  readonly tools: readonly string[];
  readonly sources: readonly string[];
  readonly labels: readonly string[];
  readonly exclude: readonly string[];
  readonly search?: boolean;
}

/** A tool, prompt or resource. */
type ProfileItem = { readonly name: string; readonly source: string } & Partial<Pick<Tool, 'effects'>>;

/** Selects the part of the catalogue for a view. */
export interface Profiles {
  /** Whether this principal may use the view; unknown and forbidden profiles are indistinguishable. */
  usable(view: View): boolean;
  holds(view: View, item: ProfileItem): boolean;
  /** Whether a profile of the view offers search tools instead of all definitions. */
  searches(view: View): boolean;
  /** Equal for views with the same selection. */
  key(view: View): string;
}

interface ProfileOptions {
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly roles: Readonly<Record<string, { readonly profiles: readonly string[] }>>;
  readonly labelsOf: LabelsOf;
}

export function profiles({ profiles: all, roles, labelsOf }: ProfileOptions): Profiles {
  const members = new Map(Object.entries(all).map(([name, profile]) => [name, member(profile, labelsOf)]));

  const found = new WeakMap<Principal, { readonly names: readonly string[] | undefined }>();
  /** Profiles a principal is bound to, or undefined; cached because every call needs them several times. */
  const bound = (principal: Principal): readonly string[] | undefined => {
    let known = found.get(principal);
    if (known === undefined) found.set(principal, (known = { names: namesFor(principal) }));
    return known.names;
  };
  const namesFor = (principal: Principal): readonly string[] | undefined => {
    if (principal.profile !== undefined) return [principal.profile];
    const named = principal.roles.flatMap((role) => (Object.hasOwn(roles, role) ? (roles[role]?.profiles ?? []) : []));
    return named.length === 0 ? undefined : [...new Set(named)].sort();
  };
  /** Effective profiles: the URL can narrow the credential's profiles, never widen them. */
  const effective = ({ principal, profile }: View): readonly string[] | undefined => {
    const limit = bound(principal);
    if (profile === undefined) return limit;
    return members.has(profile) && (limit === undefined || limit.includes(profile)) ? [profile] : [];
  };

  return {
    usable: (view) => effective(view)?.length !== 0,
    holds(view, item) {
      const names = effective(view);
      return names === undefined || names.some((name) => members.get(name)?.(item) === true);
    },
    searches: (view) =>
      effective(view)?.some((name) => Object.hasOwn(all, name) && all[name]?.search === true) === true,
    key: (view) => effective(view)?.join(',') ?? '*',
  };
}

function member({ tools, sources, labels, exclude }: Profile, labelsOf: LabelsOf): (item: ProfileItem) => boolean {
  const none: TextMatcher = () => false;
  const any = (patterns: readonly string[]): TextMatcher => {
    const tests = patterns.map(glob);
    return tests.length === 0 ? none : (text) => tests.some((test) => test(text));
  };
  const [byName, bySource, byLabel, excluded] = [any(tools), any(sources), any(labels), any(exclude)];
  return (item) => {
    if (bySource(item.source)) return !isTool(item) || !excluded(item.name);
    // Names of prompts and resources are untrusted free text, so only their source can include them.
    return (
      isTool(item) && !excluded(item.name) && (byName(item.name) || (labels.length > 0 && labelsOf(item).some(byLabel)))
    );
  };
}

/** Distinguishes tools: only they have effects. */
const isTool = (item: ProfileItem): item is Tool => item.effects !== undefined;
