import type { Located } from './references.js';
import type { Raw } from './values.js';

/** A place of the request that an argument goes to. */
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

/** How a value becomes text. */
export interface Layout {
  readonly style: Style;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

/** One declared parameter, whatever version declared it. */
export interface Parameter extends Layout {
  readonly name: string;
  readonly in: In;
  readonly required: boolean;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly schema: Located;
  /** Set where the value travels as a whole in this media type. */
  readonly mediaType?: string;
}

/** How one field of a form or of a multipart body is sent. */
export interface Encoding {
  readonly contentType?: string;
  readonly layout?: Layout;
}

/** The body of a request in the one media type we send. */
export interface Body {
  readonly required: boolean;
  readonly description?: string;
  /** As declared, parameters included. */
  readonly mediaType: string;
  /** Every media type the document offers. */
  readonly offered: readonly string[];
  readonly schema?: Located;
  readonly encodings: ReadonlyMap<string, Encoding>;
}

/** What a good answer looks like. */
export interface Reply {
  readonly status: string;
  readonly mediaType?: string;
  readonly schema?: Located;
  readonly hasLinkHeader: boolean;
}

/** One way to be let in: every scheme of it with its scopes. */
export type Alternative = readonly { readonly scheme: string; readonly scopes: readonly string[] }[];

/** One operation in the form every version is brought to. */
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
  /** Undefined where neither the operation nor the document says anything. */
  readonly security?: readonly Alternative[];
  /** Addresses in order of preference, variables filled in with their defaults. */
  readonly servers: readonly string[];
  readonly extensions: Raw;
}

/** How the document says a credential is carried. */
export type Scheme =
  | { readonly kind: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly kind: 'basic' | 'bearer' | 'oauth2' | 'other' };

/** Something a reader of the document should know; loading went on. */
export interface Note {
  readonly where: string;
  readonly reason: string;
  readonly message: string;
}

/** An operation that is not offered, and why. */
export interface Skipped {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  readonly reason: string;
  readonly message: string;
}

/** A whole document in the form every version is brought to. */
export interface Model {
  readonly title: string;
  readonly version: string;
  readonly operations: readonly Operation[];
  readonly skipped: readonly Skipped[];
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly notes: readonly Note[];
}

/** `GET /pets`, the name of an operation for people. */
export const said = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path}`;
