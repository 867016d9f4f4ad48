import type { ModelRow } from '../rows.js';

/** Functions that parse a message in a read loop. */
export const messageParsers: readonly ModelRow[] = [
  ['json', 'load', '0', 'message', 'parses-message'],
  ['json', 'loads', '0', 'message', 'parses-message'],
  ['orjson', 'loads', '0', 'message', 'parses-message'],
  ['ujson', 'loads', '0', 'message', 'parses-message'],
  ['simplejson', 'loads', '0', 'message', 'parses-message'],
  ['JSON', 'parse', '0', 'message', 'parses-message'],
  ['msgspec', 'json.decode', '0', 'message', 'parses-message'],
];

/** Methods and fields of a request that hold its body. */
export const requestBodies: readonly ModelRow[] = [
  ['**', 'get_json', 'this', 'message', 'request-body'],
  ['**', 'json', 'this', 'message', 'request-body'],
  ['**', 'body', 'this', 'message', 'request-body'],
];

/** Objects that stand for an HTTP request. */
export const requests: readonly ModelRow[] = [
  ['**', 'req', '', 'message', 'request'],
  ['**', 'request', '', 'message', 'request'],
];

/** Types of parameters that the framework supplies, not the caller. */
export const suppliedTypes: readonly ModelRow[] = [
  ['**', 'Context', '', 'none', 'supplied-type'],
  ['**', 'RequestContext', '', 'none', 'supplied-type'],
  ['**', 'ServerSession', '', 'none', 'supplied-type'],
  ['**', 'Request', '', 'none', 'supplied-type'],
  ['**', 'RequestHandlerExtra', '', 'none', 'supplied-type'],
  ['**', 'ServerContext', '', 'none', 'supplied-type'],
  ['**', 'ToolContext', '', 'none', 'supplied-type'],
  ['**', 'CurrentContext', '', 'none', 'supplied-type'],
];

/** Defaults that mark a parameter as injected by the framework. */
export const injectedDefaults: readonly ModelRow[] = [
  ['**', 'Depends', '', 'none', 'injected'],
  ['**', 'CurrentContext', '', 'none', 'injected'],
  ['**', 'Provide', '', 'none', 'injected'],
];

/** Types of parameters that cannot carry an attack. */
export const plainTypes: readonly ModelRow[] = [
  ['', 'int', '', 'none', 'plain-type'],
  ['', 'float', '', 'none', 'plain-type'],
  ['', 'bool', '', 'none', 'plain-type'],
  ['datetime', '*', '', 'none', 'plain-type'],
  ['', 'date', '', 'none', 'plain-type'],
  ['', 'datetime', '', 'none', 'plain-type'],
  ['', 'UUID', '', 'none', 'plain-type'],
  ['uuid', 'UUID', '', 'none', 'plain-type'],
  ['', 'Decimal', '', 'none', 'plain-type'],
  ['', 'PositiveInt', '', 'none', 'plain-type'],
  ['', 'NonNegativeInt', '', 'none', 'plain-type'],
  ['', 'conint', '', 'none', 'plain-type'],
];
