import { schemaContract } from '../../../core/contract.js';
import type { Args } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import type { Contract } from '../../../core/tool.js';
import { isJsonObject } from '../../../wire/message.js';

/** Keywords not evaluated for untrusted schemas: regular expressions (ReDoS) and pairwise comparison can take forever. */
const costlyKeywords = new Set([
  'pattern',
  'patternProperties',
  'propertyNames',
  'format',
  'uniqueItems',
  '$id',
  '$schema',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  'default',
  'examples',
]);
/** Keywords that evaluate several schemas for one value. */
const combiningKeywords = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
/** Schemas with more nodes are left to the server. */
const maxNodes = 5_000;

/** Size of a schema, which bounds the cost of validation. */
interface SchemaCounts {
  nodes: number;
  /** References and combinators inside definitions, where the work can double at each level. */
  refs: number;
  combined: number;
}

/** Copy of a schema without costly keywords; counts what could multiply the work. */
function stripCostly(value: Json, count: SchemaCounts, shared = false): Json {
  count.nodes += 1;
  if (Array.isArray(value)) return value.map((item: Json) => stripCostly(item, count, shared));
  if (!isJsonObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || costlyKeywords.has(key)) continue;
    if (key === '$ref' && (shared || inner === '#')) count.refs += 1;
    if (combiningKeywords.has(key)) count.combined += 1;
    // Keys below `properties` are property names, never keywords.
    if (key === 'properties' && isJsonObject(inner))
      copy[key] = Object.fromEntries(
        Object.entries(inner).map(([name, shape]) => [
          name,
          shape === undefined ? true : stripCostly(shape, count, shared),
        ]),
      );
    // Values of these are data, not schemas.
    else if (key === 'enum' || key === 'const') copy[key] = inner;
    else copy[key] = stripCostly(inner, count, shared || key === '$defs' || key === 'definitions');
  }
  return copy;
}

/**
 * Contract of an untrusted tool: the schema is shown unchanged, and arguments are validated by a copy without costly
 * keywords, with the defaults of the whole schema filled in. If that copy is too complex or does not compile, validation is left to the server.
 */
export function untrustedContract(schema: JsonObject): Contract<Args> {
  const count: SchemaCounts = { nodes: 0, refs: 0, combined: 0 };
  const copy = stripCostly(schema, count);
  // Recursive references with combinators take exponential time: 40 lines of schema are enough.
  const isTooComplex = count.nodes > maxNodes || (count.refs > 1 && count.combined > 0) || !isJsonObject(copy);
  const validator = isTooComplex ? undefined : schemaContract(copy, schema);
  let isUnusable = isTooComplex;
  return {
    schema,
    parse(value) {
      // Transports pass objects only.
      if (isUnusable || !validator) return { ok: true, value: value as Args };
      try {
        return validator.parse(value);
      } catch {
        // A schema that does not compile is reported once and not tried with every call.
        isUnusable = true;
        return { ok: true, value: value as Args };
      }
    },
  };
}
