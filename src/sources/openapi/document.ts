import { CORE_SCHEMA, constructFromEvents, EVENT_ALIAS, mergeTag, parseEvents, YAMLException } from 'js-yaml';
import { nestsDeeperThan } from '../../lib/json-limits.js';
import { isRaw, own, type Raw } from './values.js';

/** What reading one document may cost. */
export interface DocumentBudget {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Values, with every alias unfolded. */
  readonly maxValues: number;
  readonly maxAliases: number;
  readonly maxOperations: number;
}

export const documentBudget: DocumentBudget = {
  maxBytes: 33_554_432,
  maxDepth: 200,
  maxValues: 4_000_000,
  maxAliases: 10_000,
  maxOperations: 20_000,
};

export type Dialect = '2.0' | '3.0' | '3.1';

/** One parsed document and where it came from. */
export interface Document {
  readonly root: Raw;
  /** How its schemas are to be read; 3.2 reads as 3.1. */
  readonly dialect: Dialect;
  readonly version: string;
  /** The address it was fetched from; absent for a file. */
  readonly url?: string;
  /** The document that this one is a part of: a schema with an address of its own. */
  readonly within?: Document;
  /** Neighbouring documents by the name they are referred to, where that is allowed. */
  readonly neighbours: ReadonlyMap<string, Document>;
}

export type Read<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly problem: string };

/** Reads JSON or YAML into plain data within the budget; it never throws, and touches neither files nor network. */
export function readData(
  bytes: Uint8Array,
  budget: DocumentBudget = documentBudget,
): Read<{ readonly value: unknown }> {
  if (bytes.length > budget.maxBytes) return no(`the document is larger than ${budget.maxBytes} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return no('the document is not UTF-8 text');
  }
  const first = /\S/.exec(text)?.[0];
  return first === '{' || first === '[' ? json(text, bytes, budget) : yaml(text, budget);
}

/** Reads an API description and says which dialect it is in. */
export function readDocument(
  bytes: Uint8Array,
  budget: DocumentBudget = documentBudget,
): Read<{ readonly root: Raw; readonly dialect: Dialect; readonly version: string }> {
  const read = readData(bytes, budget);
  if (!read.ok) return read;
  const { value: root } = read;
  if (!isRaw(root)) return no('the document is not an object');
  const version = versionOf(own(root, 'openapi') ?? own(root, 'swagger'));
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
    return no(
      version === ''
        ? 'the document has neither `openapi` nor `swagger`'
        : `the document has version ${version.slice(0, 20)}; 2.0, 3.0, 3.1 and 3.2 are known`,
    );
  if (operationsIn(root, budget.maxOperations) > budget.maxOperations)
    return no(`the document has more than ${budget.maxOperations} operations`);
  return { ok: true, root, dialect, version };
}

/** Operations at least, counted no further than the limit: a tool is far larger than the few bytes that can ask for one. */
function operationsIn(root: Raw, limit: number): number {
  let count = 0;
  for (const item of Object.values(own(root, 'paths') ?? {})) {
    count += isRaw(item) ? Math.max(1, Object.values(item).filter(isRaw).length) : 1;
    if (count > limit) break;
  }
  return count;
}

/** Unquoted in YAML, `swagger: 2.0` is the number 2. */
const versionOf = (value: unknown): string =>
  typeof value === 'number' ? value.toFixed(1) : typeof value === 'string' ? value.trim() : '';

const no = (problem: string): { readonly ok: false; readonly problem: string } => ({ ok: false, problem });

function json(text: string, bytes: Uint8Array, budget: DocumentBudget): Read<{ readonly value: unknown }> {
  if (nestsDeeperThan(bytes, budget.maxDepth))
    return no(`the document is nested more than ${budget.maxDepth} levels deep`);
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch {
    // YAML in flow style begins with a brace too.
    return yaml(text, budget);
  }
}

const schema = CORE_SCHEMA.withTags(mergeTag);

function yaml(text: string, budget: DocumentBudget): Read<{ readonly value: unknown }> {
  try {
    const events = parseEvents(text, { maxDepth: budget.maxDepth });
    let aliases = 0;
    for (const event of events) if (event.type === EVENT_ALIAS) aliases += 1;
    if (aliases > budget.maxAliases) return no(`the document has more than ${budget.maxAliases} aliases`);
    const documents = constructFromEvents(events, { source: text, schema, maxTotalMergeKeys: 100_000 });
    if (documents.length !== 1) return no('the text holds more than one document, or none');
    const [value] = documents;
    // Aliases share what they name; whoever walks the data unfolds them, so that is what is counted.
    if (aliases > 0 && isTooLarge(value, budget))
      return no(
        `the document holds more than ${budget.maxValues} values when its aliases are unfolded, or refers to itself`,
      );
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof YAMLException)) return no('the document cannot be read as YAML');
    return no(
      `the document cannot be read as YAML: ${error.reason.slice(0, 200)}${error.mark ? ` (line ${error.mark.line + 1})` : ''}`,
    );
  }
}

/** Counts values as if every alias were written out, looking at each shared value once; depth is bounded by the parser. */
function isTooLarge(root: unknown, { maxValues, maxDepth }: DocumentBudget): boolean {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const sizeOf = (value: unknown, depth: number): number => {
    if (typeof value !== 'object' || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    // An alias can stand for something deep, so depth adds up here although the parser has bounded each part of it.
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
