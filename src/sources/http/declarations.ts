import type { Json } from '../../core/json.js';

/** Parameter types, as named in the configuration. */
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

/** An endpoint argument: its location, and its name on the wire. */
export interface PlacedParameter extends Parameter {
  readonly in?: 'query' | 'header' | 'body';
  readonly as?: string;
}

/** A resolved value, and its printable form with `$NAME` in place of secrets. */
interface SecretValue {
  readonly value: string;
  readonly masked: string;
}

export type SecretValues = Readonly<Record<string, SecretValue>>;

/** Effects declared by the operator; missing ones follow from the HTTP method. */
export interface DeclaredEffects {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  /** Send an Idempotency-Key, which makes any call safe to retry. */
  readonly idempotencyKey?: boolean;
  readonly labels?: readonly string[];
}

/** Limits of one call. */
export interface CallLimits {
  /** Per attempt. */
  readonly timeoutMs: number;
  /** Total number of attempts. */
  readonly attempts: number;
  readonly maxResponseBytes: number;
}

interface DeclarationBase extends DeclaredEffects, Partial<CallLimits> {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly headers: SecretValues;
}

/** A function of a function server: `POST url` with its name and arguments. */
export interface FunctionDeclaration extends DeclarationBase {
  readonly kind: 'function';
  readonly url: string;
  readonly functionName: string;
  readonly category: string;
  readonly parameters: readonly Parameter[];
}

/** One operation of a web API. */
export interface EndpointDeclaration extends DeclarationBase {
  readonly kind: 'endpoint';
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly baseUrl: string;
  readonly path: string;
  readonly parameters: readonly PlacedParameter[];
  readonly query: SecretValues;
  readonly body?: Json;
  readonly bodyType: 'json' | 'form' | 'text';
  /** JSON pointer to the output. */
  readonly select?: string;
  readonly resource: boolean;
}

export type Declaration = FunctionDeclaration | EndpointDeclaration;
