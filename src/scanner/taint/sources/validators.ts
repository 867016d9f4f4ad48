import { findMethod } from '../../evaluate/calls/classes.js';
import { lookup } from '../../evaluate/values/scope.js';
import type { ClassValue, FunctionValue, Value } from '../../evaluate/values/values.js';
import { resolveLink } from '../../evaluate/modules/modules.js';
import { dottedName } from '../../ir/names.js';
import type { Call, Expr } from '../../ir/nodes.js';
import { callProject } from '../calls/functions.js';
import type { Env } from '../facts/environment.js';
import { taintsIn, type Fact } from '../facts/facts.js';
import { factOf } from '../interpreter/expressions.js';
import type { Context } from '../interpreter/context.js';

const fieldValidators = /(?:^|\.)(?:field_validator|validator)$/;
const validatorTypes = /(?:^|\.)(?:AfterValidator|BeforeValidator|PlainValidator)$/;

/** Arguments after the validators of their types ran: methods of a pydantic model, functions in `Annotated`. */
export function validatedArguments(
  context: Context,
  { fn, scope }: FunctionValue,
  named: ReadonlyMap<string, Fact>,
  env: Env,
): ReadonlyMap<string, Fact> {
  const made = new Map(named);
  for (const { target, annotation } of fn.params) {
    const fact = target.kind === 'name' ? made.get(target.name) : undefined;
    if (target.kind !== 'name' || !annotation || !fact || taintsIn(fact).length === 0) continue;
    const checked = validatorsIn(annotation).reduce(
      (at, each) => runValidator(context, factOf(context, each, env), at, env),
      fact,
    );
    const type = dottedName(annotation);
    const found = type === undefined ? undefined : lookup(scope, type);
    const cls = found && resolveLink(context.machine, found);
    made.set(target.name, cls?.kind === 'class' ? validatedModel(context, cls, checked, env) : checked);
  }
  return made;
}

/** Validator functions of `Annotated[str, AfterValidator(check)]`. */
function validatorsIn(annotation: Expr): readonly Expr[] {
  if (annotation.kind !== 'index' || !/(?:^|\.)Annotated$/.test(dottedName(annotation.object) ?? '')) return [];
  const parts =
    annotation.index.kind === 'list' ? annotation.index.items.map(({ value }) => value) : [annotation.index];
  return parts.flatMap((part) =>
    part.kind === 'call' && validatorTypes.test(dottedName(part.callee) ?? '') && part.args[0]
      ? [part.args[0].value]
      : [],
  );
}

function validatedModel(context: Context, cls: ClassValue, fact: Fact, env: Env): Fact {
  const fields = new Map(fact.fields);
  for (const { fn } of cls.cls.members) {
    const decorator = fn?.decorators.find(
      (each): each is Call => each.kind === 'call' && fieldValidators.test(dottedName(each.callee) ?? ''),
    );
    const method = fn?.name === undefined || !decorator ? undefined : findMethod(context.machine, cls, fn.name);
    if (!decorator || !method) continue;
    for (const { value } of decorator.args) {
      const field = value.kind === 'literal' ? String(value.value) : '';
      const before = field === '*' ? undefined : fields.get(field);
      if (before) fields.set(field, runValidator(context, { taints: [], value: method }, before, env, cls));
    }
  }
  return fields.size > 0 ? { ...fact, fields } : fact;
}

/** What a validator returns for a value; it raises for any value that it rejects. */
function runValidator(context: Context, validator: Fact, fact: Fact, env: Env, cls?: Value): Fact {
  const target = validator.value?.kind === 'function' ? validator.value : undefined;
  const callee = validator.closure ? { closure: validator.closure } : target && { target };
  if (!callee) return fact;
  const self = cls && { taints: [], value: cls };
  const given = { positional: [fact], named: new Map<string, Fact>(), rest: [], exprs: [] };
  return { ...callProject(context, callee, given, self, env), from: undefined };
}
