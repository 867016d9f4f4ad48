import type { Call } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Withheld } from '../../core/source.js';
import { clean } from '../../hostile-text/clean.js';
import { nestsDeeperThan } from '../../lib/json-limits.js';
import type { Caller } from './caller.js';
import type { FunctionDeclaration, HiddenTexts, Parameter, ParameterType } from './declarations.js';
import { values } from './endpoint-request.js';
import { excerpt } from './failures.js';

/** A function server that can be asked what it offers. */
export interface Discovery extends Omit<
  FunctionDeclaration,
  'kind' | 'name' | 'functionName' | 'description' | 'parameters' | 'title'
> {
  readonly headers: HiddenTexts;
}

const mostFunctions = 500;
const mostParameters = 100;

const types: Readonly<Record<string, ParameterType>> = {
  string: 'string',
  str: 'string',
  integer: 'integer',
  int: 'integer',
  float: 'float',
  number: 'float',
  boolean: 'boolean',
  bool: 'boolean',
  array: 'array',
  list: 'array',
  object: 'object',
  dict: 'object',
};

/** Asks a function server for its functions; what it says is foreign text, so each one is judged and cleaned, or left out with a reason. */
export async function discovered(
  server: Discovery,
  caller: Caller,
  hide: (text: string) => string,
  signal: AbortSignal,
): Promise<{ readonly functions: readonly FunctionDeclaration[]; readonly withheld: readonly Withheld[] }> {
  const asking: Call = {
    id: 'list_functions',
    tool: 'list_functions',
    principal: { id: 'gateway', name: 'gateway', kind: 'local', roles: [] },
    via: 'cli',
    args: {},
    receivedAt: 0,
    signal,
    correlationId: 'list_functions',
  };
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...values(server.headers) };
  const answered = await caller(
    { url: new URL(server.url), method: 'POST', headers, body: '{"function":"list_functions","args":{}}' },
    asking,
  );
  if (!answered.ok) throw new Error(`list_functions failed: ${answered.error.message}`);
  const { body } = answered.response;
  const listed = nestsDeeperThan(body, 32) ? undefined : listIn(hide(body.toString('utf8')));
  if (listed === undefined) throw new Error('list_functions did not answer {"functions": […]}');
  const functions = new Map<string, FunctionDeclaration>();
  const withheld: Withheld[] =
    listed.length > mostFunctions
      ? [{ what: 'list_functions', why: `${listed.length} functions are listed; the first ${mostFunctions} are used` }]
      : [];
  for (const entry of listed.slice(0, mostFunctions)) {
    const read = functionOf(entry, server);
    if ('why' in read) withheld.push(read);
    else if (functions.has(read.functionName)) withheld.push({ what: read.functionName, why: 'it is listed twice' });
    else functions.set(read.functionName, read);
  }
  return { functions: [...functions.values()], withheld };
}

function functionOf(entry: Json, server: Discovery): FunctionDeclaration | Withheld {
  if (!isObject(entry) || typeof entry['name'] !== 'string') return { what: 'a function', why: 'it has no name' };
  const name = entry['name'];
  if (!/^(?!__proto__$)[A-Za-z0-9_.:/-]{1,128}$/.test(name))
    return { what: excerpt(name), why: 'the name is not 1 to 128 letters, digits or _ . : / -' };
  const given = entry['parameters'] ?? [];
  if (!Array.isArray(given) || given.length > mostParameters)
    return { what: name, why: `parameters is not a list of at most ${mostParameters}` };
  const parameters = given.map((one: Json) => parameterOf(one));
  const bad = parameters.find((one) => typeof one === 'string');
  if (typeof bad === 'string') return { what: name, why: bad };
  const { description } = entry;
  return {
    ...server,
    kind: 'function',
    name,
    functionName: name,
    description:
      typeof description === 'string' && description.trim() !== ''
        ? clean(description.slice(0, 8_192)).text
        : 'MCP remote function',
    parameters: parameters.filter((one) => typeof one !== 'string'),
  };
}

function parameterOf(given: Json): Parameter | string {
  if (
    !isObject(given) ||
    typeof given['name'] !== 'string' ||
    !/^(?!__proto__$)[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(given['name'])
  )
    return 'a parameter has no usable name';
  const { name, type = 'string', required, description, enum: values_, default: byDefault } = given;
  const known = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (known === undefined) return `the type of parameter ${name} is not one of ${Object.keys(types).join(', ')}`;
  return {
    name,
    type: known,
    required: required === true,
    ...(typeof description === 'string' && { description: clean(description.slice(0, 4_096)).text }),
    ...(Array.isArray(values_) && values_.length > 0 && values_.length <= 1_000 && { enum: values_ }),
    ...(byDefault !== undefined && byDefault !== null && { default: byDefault }),
  };
}

function listIn(text: string): readonly Json[] | undefined {
  try {
    const value = JSON.parse(text) as Json; // what JSON.parse makes is JSON
    const functions = isObject(value) ? value['functions'] : undefined;
    return Array.isArray(functions) ? functions : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
