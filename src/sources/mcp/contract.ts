import { schemaContract } from '../../core/contract.js';
import type { Args } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Contract } from '../../core/tool.js';
import { isObject } from '../../wire/message.js';

/** Keywords that a stranger's schema may not have us evaluate: regular expressions and pairwise comparison can take for ever. */
const costly = new Set([
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
const combining = new Set([
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
const maxNodes = 5_000;

interface Count {
  nodes: number;
  /** References and combinations inside reusable definitions, where they can double at each step. */
  refs: number;
  combined: number;
}

function plain(value: Json, count: Count, shared = false): Json {
  count.nodes += 1;
  if (Array.isArray(value)) return value.map((item: Json) => plain(item, count, shared));
  if (!isObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || costly.has(key)) continue;
    if (key === '$ref' && (shared || inner === '#')) count.refs += 1;
    if (combining.has(key)) count.combined += 1;
    // Below `properties` keys are names and none of them is a keyword.
    if (key === 'properties' && isObject(inner))
      copy[key] = Object.fromEntries(
        Object.entries(inner).map(([name, shape]) => [name, shape === undefined ? true : plain(shape, count, shared)]),
      );
    else if (key === 'enum' || key === 'const') copy[key] = inner;
    else copy[key] = plain(inner, count, shared || key === '$defs' || key === 'definitions');
  }
  return copy;
}

/**
 * The contract of a stranger's tool: the schema is shown as it was given, and arguments are judged by a copy without the
 * parts that could hang us. Where too little is left, or it does not compile, the server judges its arguments itself.
 */
export function strangersContract(schema: JsonObject): Contract<Args> {
  const count: Count = { nodes: 0, refs: 0, combined: 0 };
  const copy = plain(schema, count);
  // References inside definitions can double at each step: 40 lines are enough for a judgement that never ends.
  const hopeless = count.nodes > maxNodes || (count.refs > 1 && count.combined > 0) || !isObject(copy);
  const judged = hopeless ? undefined : schemaContract(copy);
  let broken = hopeless;
  return {
    schema,
    parse(value) {
      // The doors hand over objects only.
      if (broken || !judged) return { ok: true, value: value as Args };
      try {
        return judged.parse(value);
      } catch {
        broken = true;
        return { ok: true, value: value as Args };
      }
    },
  };
}
