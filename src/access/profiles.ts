import type { View } from '../core/gateway.js';
import type { Principal } from '../core/principal.js';
import type { Tool } from '../core/tool.js';
import { glob, type TextTest } from '../lib/glob.js';
import type { LabelsOf } from './labels.js';

/** A named subset of what is offered. */
export interface Profile {
  readonly tools: readonly string[];
  readonly sources: readonly string[];
  readonly labels: readonly string[];
  readonly exclude: readonly string[];
}

/** Something that may be seen: a tool, or a prompt or resource. */
export type Item = { readonly name: string; readonly source: string } & Partial<Pick<Tool, 'effects'>>;

/** Which part of the catalogue a view has. */
export interface Profiles {
  /** Whether this view exists for this principal; one that does not exist and one that is not for them are the same. */
  usable(view: View): boolean;
  holds(view: View, item: Item): boolean;
  /** Equal for views with the same part. */
  key(view: View): string;
}

export interface ProfileOptions {
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly roles: Readonly<Record<string, { readonly profiles: readonly string[] }>>;
  readonly labelsOf: LabelsOf;
}

export function profiles({ profiles: all, roles, labelsOf }: ProfileOptions): Profiles {
  const members = new Map(Object.entries(all).map(([name, profile]) => [name, member(profile, labelsOf)]));

  const found = new WeakMap<Principal, { readonly names: readonly string[] | undefined }>();
  /** The profiles a principal is bound to; undefined where it is bound to none. Every call asks several times, so the answer is kept. */
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
  /** What the view comes down to; a URL can only narrow what the credential allows, whatever it names. */
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
    key: (view) => effective(view)?.join(',') ?? '*',
  };
}

function member({ tools, sources, labels, exclude }: Profile, labelsOf: LabelsOf): (item: Item) => boolean {
  const none: TextTest = () => false;
  const any = (patterns: readonly string[]): TextTest => {
    const tests = patterns.map(glob);
    return tests.length === 0 ? none : (text) => tests.some((test) => test(text));
  };
  const [byName, bySource, byLabel, excluded] = [any(tools), any(sources), any(labels), any(exclude)];
  return (item) => {
    if (bySource(item.source)) return !isTool(item) || !excluded(item.name);
    // Names of prompts and resources are free text of a stranger: only their source lets them in.
    return (
      isTool(item) && !excluded(item.name) && (byName(item.name) || (labels.length > 0 && labelsOf(item).some(byLabel)))
    );
  };
}

/** Only tools have effects. */
const isTool = (item: Item): item is Tool => item.effects !== undefined;
