import type { Located } from './references.js';
import type { RawObject } from './fields.js';

/** Location of a parameter in the request. */
export type In = 'path' | 'query' | 'header' | 'cookie' | 'querystring';

export type Style =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'tabDelimited'
  | 'deepObject'
  | 'cookie';

/** OpenAPI serialisation style of a value. */
export interface Layout {
  readonly style: Style;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

/** A declared parameter, independent of the OpenAPI version. */
export interface Parameter extends Layout {
  readonly name: string;
  readonly in: In;
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly schema: Located;
  /** Set if the value is serialised as a whole in this media type (`content`). */
  readonly mediaType?: string;
}

/** Encoding of one field of a form or multipart body. */
export interface Encoding {
  readonly contentType?: string;
  readonly layout?: Layout;
}

/** Request body in the media type that is sent. */
export interface Body {
  readonly required: boolean;
  readonly description?: string;
  /** As declared, including its parameters. */
  readonly mediaType: string;
  /** Every declared media type. */
  readonly offered: readonly string[];
  readonly schema?: Located;
  readonly encodings: ReadonlyMap<string, Encoding>;
}

/** The declared success response. */
export interface Reply {
  readonly status: string;
  readonly mediaType?: string;
  readonly schema?: Located;
  readonly hasLinkHeader: boolean;
}

/** One security alternative: all of its schemes, with scopes, are required. */
export type SecurityAlternative = readonly { readonly scheme: string; readonly scopes: readonly string[] }[];

/** An operation, independent of the OpenAPI version. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  readonly reply?: Reply;
  /** Undefined if neither the operation nor the document declares it. */
  readonly security?: readonly SecurityAlternative[];
  /** Server URLs in order of preference, with variables replaced by their defaults. */
  readonly servers: readonly string[];
  readonly extensions: RawObject;
  /** The operation as the document has it. */
  readonly original: RawObject;
}

/** A security scheme of the document. */
export type SecurityScheme =
  | { readonly kind: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly kind: 'basic' | 'bearer' | 'oauth2' }
  /** A scheme that the gateway cannot perform, such as digest or mutual TLS. */
  | { readonly kind: 'unsupported'; readonly label: string };

/** A warning about the document; it does not prevent loading. */
export interface DocumentNote {
  readonly where: string;
  readonly reason: string;
  readonly message: string;
}

/** An operation that could not be parsed, and why. */
export interface SkippedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  readonly reason: string;
  readonly message: string;
}

/** A document, independent of the OpenAPI version. */
export interface ApiModel {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly Operation[];
  readonly skipped: readonly SkippedOperation[];
  readonly schemes: ReadonlyMap<string, SecurityScheme>;
  readonly notes: readonly DocumentNote[];
}

/** Label of an operation in messages, such as `GET /pets`. */
export const operationLabel = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;
