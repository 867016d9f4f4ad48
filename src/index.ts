// Public API; test/public-api.test.ts pins the list of exports.
export { loadConfig as load, type LoadedConfig as Good, type LoadResult as Loaded } from './config/load.js';
export type { Config } from './config/schema.js';
export type { Args, Call, Door, Progress } from './core/call.js';
export type { Content } from './core/content.js';
export { schemaContract } from './core/contract.js';
export { errors, type ErrorCode, type ToolError } from './core/errors.js';
export type { Answer, CallRequest, Gateway, ToolStatus, View } from './core/gateway.js';
export type { Guard } from './core/guard.js';
export type { Json, JsonObject } from './core/json.js';
export { done, failed, refuse, type Outcome } from './core/outcome.js';
export type { Principal } from './core/principal.js';
export type { Prompt, Resource, ResourceTemplate } from './core/prompt.js';
export type { ToolSource } from './core/source.js';
export {
  defaultLimits,
  readOnly,
  type Contract,
  type Effects,
  type Handler,
  type Limits,
  type Tool,
} from './core/tool.js';
export { log, type Log } from './observe/log/log.js';
export { serve, type Serving } from './serve.js';
export { createGate, type CreateGateOptions, type EmbeddedGate } from './embed/create-gate.js';
export {
  defineGuard,
  defineRoute,
  defineSource,
  type GuardDefinition,
  type RouteDefinition,
  type RouteRequest,
  type SourceDefinition,
  type ToolDefinition,
} from './embed/define.js';
export { openGate, type Extensions, type Gate } from './serve/gate.js';
export { homeOf } from './serve/home.js';
export type { CommandDefinition } from './sources/command/definition.js';
export { defineCommand } from './sources/command/pack/define.js';
export { commandSource } from './sources/command/source.js';
export type { SourceContext, SourceEntry, SourceKind } from './sources/kind.js';
export { version } from './version.js';
