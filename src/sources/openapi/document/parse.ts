import { CORE_SCHEMA, constructFromEvents, EVENT_ALIAS, mergeTag, parseEvents, YAMLException } from 'js-yaml';
import { nestsDeeperThan } from '../../../lib/json/json-limits.js';
import { isRawObject, ownField, type RawObject } from './fields.js';

/** Limits for parsing one document. */
export interface DocumentBudget {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Number of values with every YAML alias expanded. */
  readonly maxValues: number;
  readonly maxAliases: number;
  readonly maxOperations: number;
}

/** Bounds that the largest public documents pass with room to spare. */
export const documentBudget: DocumentBudget = {
  maxBytes: 33_554_432,
  maxDepth: 200,
  maxValues: 4_000_000,
  maxAliases: 10_000,
  maxOperations: 20_000,
};

/** Schema dialect of a document. */
export type Dialect = '2.0' | '3.0' | '3.1';

/** A parsed document and its origin. */
export interface Document {
  readonly root: RawObject;
  /** Schema dialect; 3.2 is treated as 3.1. */
  readonly dialect: Dialect;
  readonly version: string;
  /** URL it was fetched from; absent for a file. */
  readonly url?: string;
  /** Enclosing document, if this one is an embedded schema with its own `$id`. */
  readonly parent?: Document;
  /** Documents of the same folder by file name, if external references are allowed. */
  readonly siblings: ReadonlyMap<string, Document>;
}

/** A result, or the problem as a sentence for the operator. */
export type ReadResult<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problem: string };

/** Parses JSON or YAML within the budget; never throws, and opens no files or connections. */
export function parseData(
  bytes: Uint8Array,
  budget: DocumentBudget = documentBudget,
): ReadResult<{ readonly value: unknown }> {
  if (bytes.length > budget.maxBytes) return documentProblem(`the document is larger than ${budget.maxBytes} bytes`);
  let text: string;
  try {
    // Fatal: a document in another encoding would get wrong names silently.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return documentProblem('the document is not UTF-8 text');
  }
  const first = /\S/.exec(text)?.[0];
  return first === '{' || first === '[' ? parseJsonDocument(text, bytes, budget) : parseYamlDocument(text, budget);
}

/** Parses an API description and detects its dialect. */
export function parseApiDocument(
  bytes: Uint8Array,
  budget: DocumentBudget = documentBudget,
): ReadResult<{ readonly root: RawObject; readonly dialect: Dialect; readonly version: string }> {
  const read = parseData(bytes, budget);
  if (!read.ok) return read;
  const { value: root } = read;
  if (!isRawObject(root)) return documentProblem('the document is not an object');
  const version = versionOf(ownField(root, 'openapi') ?? ownField(root, 'swagger'));
  const dialect: Dialect | undefined = Object.hasOwn(root, 'swagger')
    ? version.startsWith('2')
      ? '2.0'
      : undefined
    : /^3\.0(\.|$)/.test(version)
      ? '3.0'
      : /^3\.[12](\.|$)/.test(version)
        ? '3.1'
        : undefined;
  if (dialect === undefined)
    return documentProblem(
      version === ''
        ? 'the document has neither `openapi` nor `swagger`'
        : `the document has version ${version.slice(0, 20)}; supported are 2.0, 3.0, 3.1 and 3.2`,
    );
  if (countOperations(root, budget.maxOperations) > budget.maxOperations)
    return documentProblem(`the document has more than ${budget.maxOperations} operations`);
  return { ok: true, root, dialect, version };
}

/** Lower bound of the number of operations, counted up to the limit: a few bytes per operation would create a large tool (amplification). */
function countOperations(root: RawObject, limit: number): number {
  let count = 0;
  for (const item of Object.values(ownField(root, 'paths') ?? {})) {
    count += isRawObject(item) ? Math.max(1, Object.values(item).filter(isRawObject).length) : 1;
    if (count > limit) break;
  }
  return count;
}

/** Version as text; an unquoted `swagger: 2.0` in YAML is the number 2. */
const versionOf = (value: unknown): string =>
  typeof value === 'number' ? value.toFixed(1) : typeof value === 'string' ? value.trim() : '';

/** A problem as a result. */
const documentProblem = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem });

/** Parses JSON; falls back to YAML, of which JSON in flow style is a part. */
function parseJsonDocument(
  text: string,
  bytes: Uint8Array,
  budget: DocumentBudget,
): ReadResult<{ readonly value: unknown }> {
  try {
    const value: unknown = JSON.parse(text);
    // The depth is checked on bytes, before anything walks the parsed tree.
    return { ok: true, value: nestsDeeperThan(bytes, budget.maxDepth) ? cutDeepParts(value, budget.maxDepth) : value };
  } catch {
    // YAML in flow style also begins with a brace.
    return parseYamlDocument(text, budget);
  }
}

/** Stands for a part of a document that is nested too deep for code that walks it recursively; operations that need it are withheld. */
export const tooDeep: RawObject = Object.freeze({ 'x-toolgate-too-deep': true });

/** Replaces what is nested below a depth, in place and without recursion. */
function cutDeepParts(root: unknown, maxDepth: number): unknown {
  const todo: { readonly holder: object; readonly depth: number }[] = [];
  if (typeof root === 'object' && root !== null) todo.push({ holder: root, depth: 1 });
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { holder, depth } = next;
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value !== 'object' || value === null) continue;
      if (depth < maxDepth) todo.push({ holder: value, depth: depth + 1 });
      else Object.defineProperty(holder, key, { value: tooDeep, enumerable: true });
    }
  }
  return root;
}

/** The YAML parser is recursive; a document beyond this depth is rejected as a whole. */
const maxYamlDepth = 1_000;
/** YAML 1.2 core types with merge keys; no dates, since those would not be JSON. */
const yamlSchema = CORE_SCHEMA.withTags(mergeTag);

/** Parses YAML with bounds on depth, aliases and merge keys. */
function parseYamlDocument(text: string, budget: DocumentBudget): ReadResult<{ readonly value: unknown }> {
  try {
    const events = parseEvents(text, { maxDepth: maxYamlDepth });
    let aliases = 0;
    for (const event of events) if (event.type === EVENT_ALIAS) aliases += 1;
    if (aliases > budget.maxAliases) return documentProblem(`the document has more than ${budget.maxAliases} aliases`);
    const documents = constructFromEvents(events, { source: text, schema: yamlSchema, maxTotalMergeKeys: 100_000 });
    // A second document would be ignored silently by other tools.
    if (documents.length !== 1) return documentProblem('the document must contain exactly one YAML document');
    const [parsed] = documents;
    // Cutting changes the data, so it must not meet a value that an alias shares; those are limited in depth below.
    const value = aliases === 0 ? cutDeepParts(parsed, budget.maxDepth) : parsed;
    // Billion laughs: aliases share values, but code that walks the data expands them, so the expanded size counts.
    if (aliases > 0 && isTooLarge(value, budget))
      return documentProblem(
        `the document has more than ${budget.maxValues} values with its aliases expanded, or an alias refers to itself`,
      );
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof YAMLException)) return documentProblem('the document is not valid YAML');
    return documentProblem(
      `the document is not valid YAML: ${error.reason.slice(0, 200)}${error.mark ? ` (line ${error.mark.line + 1})` : ''}`,
    );
  }
}

/** Counts values as if every alias were expanded, visiting each shared value once. */
function isTooLarge(root: unknown, { maxValues, maxDepth }: DocumentBudget): boolean {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const sizeOf = (value: unknown, depth: number): number => {
    if (typeof value !== 'object' || value === null) return 1;
    // A shared value is counted once and its size added at each use.
    const known = sizes.get(value);
    if (known !== undefined) return known;
    // Aliases can nest, so the total depth can exceed the depth limit of the parser.
    if (open.has(value) || depth > maxDepth) return Infinity;
    open.add(value);
    let size = 1;
    for (const item of Object.values(value)) {
      size += sizeOf(item, depth + 1);
      if (size > maxValues) break;
    }
    open.delete(value);
    sizes.set(value, size);
    return size;
  };
  return sizeOf(root, 0) > maxValues;
}
