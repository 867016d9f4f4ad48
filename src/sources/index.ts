// The kinds of sources, one line each.
export { commandSource, type CommandRules, type CommandSource, type CommandSourceOptions } from './command/source.js';
export { httpFunctionsSource, type HttpFunctionsOptions } from './http/source.js';
export { openApiSource, type OpenApiSource, type OpenApiSourceOptions } from './openapi/source.js';

// What a command in code is made of.
export { defaultNetworkRules } from './command/default-policy.js';
export type { CommandDefinition, OutputParser, ValueCheck } from './command/definition.js';
export { describeManifest } from './command/describe.js';
export type { Manifest, ManifestInput } from './command/manifest.js';
export { defineCommand } from './command/pack/define.js';
export { commandDefaults, type CommandDefaults, type ToolSettings } from './command/settings.js';
