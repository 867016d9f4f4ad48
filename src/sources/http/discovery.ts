import type { Call } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import type { Withheld } from '../../core/source.js';
import { clean } from '../../hostile-text/clean.js';
import { nestsDeeperThan } from '../../lib/json/json-limits.js';
import type { OriginBreakers } from './breakers.js';
import type { Sender } from './sender.js';
import type { FunctionDeclaration, SecretValues, Parameter, ParameterType } from './declarations.js';
import { plainValues } from './requests/endpoint-request.js';
import { excerpt } from './failures.js';
import { isJsonObject } from '../../wire/message.js';

/** A function server that lists its functions. */
export interface FunctionServer extends Omit<
  FunctionDeclaration,
  'kind' | 'name' | 'functionName' | 'description' | 'parameters' | 'title'
> {
  readonly headers: SecretValues;
}

/** Bounds of an untrusted list. */
const maxFunctions = 500;
const maxParameters = 100;

/** Spellings of types that function servers use, Python's among them. */
const parameterTypes: Readonly<Record<string, ParameterType>> = {
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

/** What a server listed. */
interface Discovery {
  readonly functions: readonly FunctionDeclaration[];
  readonly withheld: readonly Withheld[];
}

/** Weak, so that the lists of a closed gate can be collected. */
const discoveries = new WeakMap<OriginBreakers, Map<string, Discovery>>();

/** Last good lists of one gate, by source and URL; like the breakers of its origins, they survive reloads. */
export function rememberedDiscoveries(breakers: OriginBreakers): Map<string, Discovery> {
  let known = discoveries.get(breakers);
  if (known === undefined) discoveries.set(breakers, (known = new Map()));
  return known;
}

// It passes no guards, so it must carry no arguments of a caller.
/** A call that the gateway makes on its own behalf. */
const gatewayCall = (tool: string, args: Call['args'], signal: AbortSignal): Call => ({
  id: tool,
  tool,
  principal: { id: 'gateway', name: 'gateway', kind: 'local', roles: [] },
  via: 'cli',
  args,
  receivedAt: 0,
  signal,
  correlationId: tool,
});

/** Lists the functions of a server; the answer is untrusted, so each entry is validated and cleaned, or left out with a reason. */
export async function discoverFunctions(
  server: FunctionServer,
  send: Sender,
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<Discovery> {
  const call = gatewayCall('list_functions', {}, signal);
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...plainValues(server.headers) };
  const result = await send(
    { url: new URL(server.url), method: 'POST', headers, body: '{"function":"list_functions","args":{}}' },
    call,
  );
  if (!result.ok) throw new Error(`list_functions failed: ${result.error.message}`);
  const { body } = result.response;
  // Redacted before parsing: a server that echoes our credentials must not put them into descriptions.
  const listed = nestsDeeperThan(body, 32) ? undefined : parseFunctionList(redact(body.toString('utf8')));
  if (listed === undefined) throw new Error('list_functions did not return {"functions": […]}');
  const functions = new Map<string, FunctionDeclaration>();
  const withheld: Withheld[] =
    listed.length > maxFunctions
      ? [{ what: 'list_functions', why: `${listed.length} functions are listed; the first ${maxFunctions} are used` }]
      : [];
  for (const entry of listed.slice(0, maxFunctions)) {
    const read = parseFunction(entry, server);
    if ('why' in read) withheld.push(read);
    else if (functions.has(read.functionName)) withheld.push({ what: read.functionName, why: 'it is listed twice' });
    else functions.set(read.functionName, read);
  }
  return { functions: [...functions.values()], withheld };
}

/** Validates one listed function; the reason if it is left out. */
function parseFunction(entry: Json, server: FunctionServer): FunctionDeclaration | Withheld {
  if (!isJsonObject(entry) || typeof entry['name'] !== 'string') return { what: 'a function', why: 'it has no name' };
  const name = entry['name'];
  // `__proto__` as a key of the tool table would change its prototype (prototype pollution).
  if (!/^(?!__proto__$)[A-Za-z0-9_.:/-]{1,128}$/.test(name))
    return { what: excerpt(name), why: 'the name is not 1 to 128 letters, digits or _ . : / -' };
  const list = entry['parameters'] ?? [];
  if (!Array.isArray(list) || list.length > maxParameters)
    return { what: name, why: `parameters is not a list of at most ${maxParameters}` };
  const parameters = list.map((parameter: Json) => parseParameter(parameter));
  const bad = parameters.find((parameter) => typeof parameter === 'string');
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
    parameters: parameters.filter((parameter) => typeof parameter !== 'string'),
  };
}

/** Validates one parameter; a text is the reason for leaving the function out. */
function parseParameter(list: Json): Parameter | string {
  if (
    !isJsonObject(list) ||
    typeof list['name'] !== 'string' ||
    !/^(?!__proto__$)[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(list['name'])
  )
    return 'a parameter has no usable name';
  const { name, type = 'string', required, description, enum: allowed, default: defaultValue } = list;
  const known = typeof type === 'string' && Object.hasOwn(parameterTypes, type) ? parameterTypes[type] : undefined;
  if (known === undefined)
    return `the type of parameter ${name} is not one of ${Object.keys(parameterTypes).join(', ')}`;
  return {
    name,
    type: known,
    required: required === true,
    ...(typeof description === 'string' && { description: clean(description.slice(0, 4_096)).text }),
    // A huge enum would be sent to the model with every list.
    ...(Array.isArray(allowed) && allowed.length > 0 && allowed.length <= 1_000 && { enum: allowed }),
    ...(defaultValue !== undefined && defaultValue !== null && { default: defaultValue }),
  };
}

/** The list in a response; undefined if it has another shape. */
function parseFunctionList(text: string): readonly Json[] | undefined {
  try {
    const value = JSON.parse(text) as Json; // JSON.parse returns JSON
    const functions = isJsonObject(value) ? value['functions'] : undefined;
    return Array.isArray(functions) ? functions : undefined;
  } catch {
    return undefined;
  }
}
