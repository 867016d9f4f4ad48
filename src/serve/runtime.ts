import { approvalCheck } from '../access/approvals/approval-check.js';
import type { Config } from '../config/schema.js';
import type { CallRuntime } from '../gateway.js';
import type { Redactor } from '../hostile-text/redact.js';
import { redactor } from '../hostile-text/redact.js';
import type { CatalogueTerms } from '../registry/registry.js';
import { shownTools } from '../registry/shown-tools.js';
import type { SourceKind } from '../sources/kind.js';
import type { HeldResults } from '../access/approvals/held-results.js';
import type { StoredResults } from '../sources/stored-results.js';
import type { Store } from '../state/store.js';
import type { CallerMemory } from '../access/configured/caller-memory.js';
import type { Credentials, CredentialSources } from '../access/configured/credentials.js';
import type { Rules } from '../access/configured/rules.js';
import { credentialsOf } from '../access/configured/credentials.js';
import type { ApprovalBooks } from '../access/configured/approval-books.js';
import type { EdgeOptions } from '../transports/http/edge/edge.js';
import { compileOrThrow } from '../access/configured/compiled-rules.js';
import { edgeOptionsOf } from '../transports/configured/edge-options.js';
import type { CarriedGuards } from './gate-guards.js';
import { guardsOf } from './gate-guards.js';
import { outputRulesOf } from '../access/configured/output.js';
import { overridesOf } from '../access/configured/overrides.js';
import { restrictedRules } from '../access/configured/restricted-rules.js';
import { secretValues } from '../config/secret-values.js';

/**
 * Everything that follows from one configuration. It is built completely before it becomes active and never changes afterwards;
 * a call takes the active runtime once and keeps it, so no call is decided by two configurations.
 */
export interface Runtime extends CallRuntime {
  /** Grows with each swap. A credential that was checked under an earlier generation must be checked again. */
  readonly generation: number;
  readonly config: Config;
  readonly rules: Rules;
  readonly credentials: Credentials;
  /** Redacts the secrets of this configuration and of earlier ones. */
  readonly secrets: Redactor;
  readonly terms: CatalogueTerms;
  /** Limits and allow-lists of the HTTP listener. */
  readonly edge: EdgeOptions;
}

/** State that is independent of the configuration: it survives reloads. */
export interface CarriedOver extends CredentialSources {
  readonly remembered: CallerMemory;
  readonly results: StoredResults;
  /** Results that wait for approval of their release. */
  readonly held: HeldResults;
  readonly open: () => Promise<Store>;
  readonly guards: CarriedGuards;
  readonly approvals: ApprovalBooks;
  /** Every secret seen so far. A server that is still draining may print one of an earlier configuration. */
  readonly secretValues: Set<string>;
  readonly kinds: readonly SourceKind[];
}

/** Builds the runtime of a configuration without side effects on the active one; throws the problems of its rules. */
export function assemble(
  config: Config,
  carried: CarriedOver,
  rules: Rules = compileOrThrow(config, carried.remembered, undefined, carried.kinds),
): Runtime {
  const { env, secretValues: known } = carried;
  // Added before the redactor is built, which includes those of earlier configurations.
  for (const value of secretValues(config, env)) known.add(value);
  const parts: Omit<Runtime, keyof CallRuntime | 'rules'> = {
    generation: 0,
    config,
    credentials: credentialsOf(config, carried),
    secrets: redactor(known),
    terms: termsOf(config),
    edge: edgeOptionsOf(config),
  };
  return withRules(parts, rules, carried);
}

/** The next runtime as far as it restricts the previous one, with the sources of the previous one. */
export function restrict(previous: Runtime, next: Runtime, carried: CarriedOver): Runtime {
  const { filter: was } = previous.terms;
  const { filter: will } = next.terms;
  return withRules(
    {
      ...next,
      terms: {
        ...next.terms,
        filter: {
          // The intersection of both lists: a tool must be included before and after.
          include: will.include.length === 0 ? was.include : will.include.filter((name) => passes(was.include, name)),
          exclude: [...was.exclude, ...will.exclude],
          // Without this an empty intersection would mean "include everything".
          ...(will.include.length > 0 && { isClosed: true }),
        },
        // A tool that either configuration disables is disabled.
        isDisabled: (name) => previous.terms.isDisabled(name) || next.terms.isDisabled(name),
      },
    },
    restrictedRules(previous.rules, next.rules),
    carried,
  );
}

const passes = (include: readonly string[], name: string): boolean => include.length === 0 || include.includes(name);

/** Completes a runtime: with its guards and everything they consult. */
function withRules(parts: Omit<Runtime, keyof CallRuntime | 'rules'>, rules: Rules, carried: CarriedOver): Runtime {
  const { config, secrets } = parts;
  const { ttl_seconds: answer, wait_seconds: wait } = config.policy.confirmation;
  return {
    ...parts,
    rules,
    visibility: rules.visibility,
    searches: (view) => config.tool.search || rules.profiles.searches(view),
    // Asked again for each attempt, because rules may depend on the labels that a session has touched meanwhile.
    permits: (call, tool) => rules.control.decide(call, tool) === undefined,
    // Long sessions and tasks ask this: a revoked key must end them.
    isCurrent: ({ principal }) => parts.credentials.isCurrent(principal),
    wire: guardsOf({
      config,
      rules,
      secrets,
      output: outputRulesOf({
        config,
        secrets: [...carried.secretValues],
        results: carried.results,
        open: carried.open,
        held: carried.held,
        kinds: carried.kinds,
      }),
      approvals: approvalCheck({
        open: carried.approvals.open,
        labelsOf: rules.labelsOf,
        redactor: secrets,
        seenLabels: (call) => rules.flows.seen(call),
        answerMs: () => answer * 1000,
        waitMs: () => wait * 1000,
      }),
      carried: carried.guards,
    }),
  };
}

/** What the configuration changes about the catalogue: filter, limits, shown names, disabled tools. */
function termsOf(config: Config): CatalogueTerms {
  const { include, exclude, overrides } = config.tool;
  return {
    filter: { include, exclude },
    adjust: overridesOf(config),
    shown: shownTools(overrides),
    isDisabled: (name) => Object.hasOwn(overrides, name) && overrides[name]?.enabled === false,
  };
}
