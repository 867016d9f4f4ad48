import type { Ajv2020, CodeKeywordDefinition, Options } from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';
import { canonicalJson } from './canonical-json.js';

const requireModule = createRequire(import.meta.url);

/** Thrown by a validation that has used up its steps. */
export const stepLimitExceeded = new Error('schema validation exceeded its step limit');

/** Schema compiler whose validations are limited to a number of steps. */
interface BoundedAjv {
  readonly ajv: Ajv2020;
  /** Limits the references the next validation may follow; it throws `tooManySteps` at the one after. */
  setStepLimit(steps: number): void;
}

/**
 * Creates an Ajv without its two denial-of-service vectors: a schema that references itself twice at one place doubles the work at
 * every level of the value, and `uniqueItems` compares all pairs of a list.
 */
export function boundedAjv(options: Options): BoundedAjv {
  // Loaded when the first schema is compiled, not imported: Ajv costs more than the rest of a start.
  const { Ajv2020: Ajv, _ } = requireModule('ajv/dist/2020.js') as {
    readonly Ajv2020: new (given: Options) => Ajv2020;
    readonly _: typeof import('ajv/dist/2020.js')._;
  }; // as its type declarations state
  const ajv = new Ajv(options);
  const addFormats: unknown = requireModule('ajv-formats');
  if (typeof addFormats === 'function') addFormats(ajv);

  let stepsLeft = Infinity;
  const step = (): void => {
    stepsLeft -= 1;
    if (stepsLeft < 0) throw stepLimitExceeded;
  };
  for (const [keyword, modulePath] of [
    ['$ref', 'core/ref'],
    ['$dynamicRef', 'dynamic/dynamicRef'],
  ] as const) {
    const { default: definition } = requireModule(`ajv/dist/vocabularies/${modulePath}.js`) as {
      readonly default: CodeKeywordDefinition;
    }; // as its type declarations state
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...definition,
      code(context, rule) {
        context.gen.code(_`${context.gen.scopeValue('func', { ref: step })}()`);
        definition.code(context, rule);
      },
    });
  }
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    compile: (wanted: boolean) => (wanted ? isUnique : () => true),
  });
  return {
    ajv,
    setStepLimit(steps) {
      stepsLeft = steps;
    },
  };
}

const isUnique = (items: readonly unknown[]): boolean => new Set(items.map(canonicalJson)).size === items.length;
