import { approvalCheck } from '../access/approval-check.js';
import type { Config } from '../config/schema.js';
import type { CallRuntime } from '../gateway.js';
import type { Redactor } from '../hostile-text/redact.js';
import { redactor } from '../hostile-text/redact.js';
import type { CatalogueTerms } from '../registry/registry.js';
import type { SourceKind } from '../sources/kind.js';
import type { TruncatedResults } from '../sources/truncated-results.js';
import type { Store } from '../state/store.js';
import type { CallerMemory, Credentials, CredentialSources, Rules } from './access.js';
import { credentialsOf } from './access.js';
import type { ApprovalBooks } from './approvals.js';
import type { EdgeOptions } from '../transports/http/edge.js';
import { compileOrThrow } from './compiled-rules.js';
import { edgeOptionsOf } from './edge-options.js';
import type { CarriedGuards } from './gate-guards.js';
import { guardsOf } from './gate-guards.js';
import { outputRulesOf } from './output.js';
import { overridesOf } from './overrides.js';
import { restrictedRules } from './restricted-rules.js';
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
  readonly results: TruncatedResults;
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
          include: will.include.length === 0 ? was.include : will.include.filter((name) => passes(was.include, name)),
          exclude: [...was.exclude, ...will.exclude],
          ...(will.include.length > 0 && { isClosed: true }),
        },
        isDisabled: (name) => previous.terms.isDisabled(name) || next.terms.isDisabled(name),
      },
    },
    restrictedRules(previous.rules, next.rules),
    carried,
  );
}

const passes = (include: readonly string[], name: string): boolean => include.length === 0 || include.includes(name);

function withRules(parts: Omit<Runtime, keyof CallRuntime | 'rules'>, rules: Rules, carried: CarriedOver): Runtime {
  const { config, secrets } = parts;
  const { ttl_seconds: answer, wait_seconds: wait } = config.policy.confirmation;
  return {
    ...parts,
    rules,
    visibility: rules.visibility,
    permits: (call, tool) => rules.control.decide(call, tool) === undefined,
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
        kinds: carried.kinds,
      }),
      approvals: approvalCheck({
        open: carried.approvals.open,
        labelsOf: rules.labelsOf,
        redactor: secrets,
        answerMs: () => answer * 1000,
        waitMs: () => wait * 1000,
      }),
      carried: carried.guards,
    }),
  };
}

function termsOf(config: Config): CatalogueTerms {
  const { include, exclude, overrides } = config.tool;
  return {
    filter: { include, exclude },
    adjust: overridesOf(config),
    isDisabled: (name) => Object.hasOwn(overrides, name) && overrides[name]?.enabled === false,
  };
}
