import type { Json } from '../../core/json.js';

/** The types a parameter may have, in the words of the configuration. */
export type ParameterType = 'string' | 'integer' | 'float' | 'boolean' | 'array' | 'object';

/** One argument of a tool. */
export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly default?: Json;
}

/** An argument of an endpoint: where it goes, and under which name. */
export interface PlacedParameter extends Parameter {
  readonly in?: 'query' | 'header' | 'body';
  readonly as?: string;
}

/** A text that is sent, and how it may be shown: with `$NAME` where the secret is. */
export interface Hidden {
  readonly value: string;
  readonly shown: string;
}

export type HiddenTexts = Readonly<Record<string, Hidden>>;

/** What the operator says about effects; what is left out follows from the method. */
export interface DeclaredEffects {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  /** Send an Idempotency-Key, so that any call may be repeated. */
  readonly idempotencyKey?: boolean;
  readonly labels?: readonly string[];
}

/** How much one call may cost. */
export interface CallLimits {
  /** One attempt. */
  readonly timeoutMs: number;
  /** Attempts in all. */
  readonly attempts: number;
  readonly maxResponseBytes: number;
}

interface Described extends DeclaredEffects, Partial<CallLimits> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly headers: HiddenTexts;
}

/** A function of a function server: `POST url` with its name and arguments. */
export interface FunctionDeclaration extends Described {
  readonly kind: 'function';
  readonly url: string;
  readonly functionName: string;
  readonly category: string;
  readonly parameters: readonly Parameter[];
}

/** One operation of a web API. */
export interface EndpointDeclaration extends Described {
  readonly kind: 'endpoint';
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly baseUrl: string;
  readonly path: string;
  readonly parameters: readonly PlacedParameter[];
  readonly query: HiddenTexts;
  readonly body?: Json;
  readonly bodyType: 'json' | 'form' | 'text';
  /** JSON pointer. */
  readonly select?: string;
  readonly resource: boolean;
}

export type Declaration = FunctionDeclaration | EndpointDeclaration;
