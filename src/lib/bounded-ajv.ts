import type { Ajv2020, CodeKeywordDefinition, Options } from 'ajv/dist/2020.js';
import { createRequire } from 'node:module';
import { canonicalJson } from './canonical-json.js';

const load = createRequire(import.meta.url);

/** Thrown by a judgement that has used up its steps. */
export const tooManySteps = new Error('the judgement took too many steps');

/** A schema compiler whose judgements can be held to a number of steps. */
export interface BoundedAjv {
  readonly ajv: Ajv2020;
  /** Allows the next judgement so many references; it throws `tooManySteps` at the one after. */
  allow(steps: number): void;
}

/**
 * The compiler with its two ways of taking for ever closed: a schema that leads into itself twice at one place doubles the work at
 * every level of the value, and the library compares the items of a list each with each.
 */
export function boundedAjv(options: Options): BoundedAjv {
  // Required when the first schema is compiled, not imported: validators cost more than the rest of a start.
  const { Ajv2020: Ajv, _ } = load('ajv/dist/2020.js') as {
    readonly Ajv2020: new (given: Options) => Ajv2020;
    readonly _: typeof import('ajv/dist/2020.js')._;
  }; // as its types say
  const ajv = new Ajv(options);
  const addFormats: unknown = load('ajv-formats');
  if (typeof addFormats === 'function') addFormats(ajv);

  let left = Infinity;
  const step = (): void => {
    left -= 1;
    if (left < 0) throw tooManySteps;
  };
  for (const [keyword, place] of [
    ['$ref', 'core/ref'],
    ['$dynamicRef', 'dynamic/dynamicRef'],
  ] as const) {
    const { default: definition } = load(`ajv/dist/vocabularies/${place}.js`) as {
      readonly default: CodeKeywordDefinition;
    }; // as its types say
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
    allow(steps) {
      left = steps;
    },
  };
}

const isUnique = (items: readonly unknown[]): boolean => new Set(items.map(canonicalJson)).size === items.length;
