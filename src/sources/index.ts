// Source kinds, one line each.
export { commandSource, type CommandRules, type CommandSource, type CommandSourceOptions } from './command/source.js';
export { httpFunctionsSource, type HttpFunctionsOptions } from './http/source.js';
export { openApiSource, type OpenApiSource, type OpenApiSourceOptions } from './openapi/source.js';

// Building blocks for commands defined in code.
export { defaultNetworkRules } from './command/default-policy.js';
export type { CommandDefinition, OutputParser, ValueCheck } from './command/definition.js';
export { describeManifest } from './command/manifest/describe.js';
export type { Manifest, ManifestInput } from './command/manifest/manifest.js';
export { defineCommand } from './command/pack/define.js';
export { commandDefaults, type CommandDefaults, type ToolSettings } from './command/limits.js';
