import type { JsonObject } from '../../../core/json.js';

/** Schema of a variable; both formats name its flags differently. */
const variable = (required: string, secret: string): JsonObject => ({
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
    description: { type: 'string' },
    [required]: { type: 'boolean' },
    [secret]: { type: 'boolean' },
  },
});

/** A package with its command line, the older format. */
const commandPackage: JsonObject = {
  type: 'object',
  description: 'A package described by its command line; `runtime` and `command` belong together.',
  anyOf: [{ required: ['command'] }, { required: ['runtime'] }],
  properties: {
    name: { type: 'string' },
    description: { type: 'string' },
    transport_type: { enum: ['stdio', 'sse', 'streamable_http'], default: 'stdio' },
    runtime: { enum: ['uvx', 'npx', 'python', 'node', 'docker'] },
    command: { type: 'array', items: { type: 'string' }, minItems: 1 },
    environment_variables: { type: 'array', items: variable('required', 'secret') },
  },
  additionalProperties: false,
};

/** A package of a registry. */
const registryPackage: JsonObject = {
  type: 'object',
  description: 'A registry package, in the format of the MCP registry.',
  required: ['registryType', 'identifier'],
  properties: {
    registryType: { enum: ['npm', 'pypi', 'oci', 'nuget', 'mcpb'] },
    identifier: { type: 'string', minLength: 1 },
    version: { type: 'string' },
    runtimeHint: { type: 'string' },
    transport: { type: 'object', properties: { type: { enum: ['stdio', 'sse', 'streamable-http'] } } },
    packageArguments: { type: 'array', items: { type: 'object' } },
    runtimeArguments: { type: 'array', items: { type: 'object' } },
    environmentVariables: { type: 'array', items: variable('isRequired', 'isSecret') },
  },
};

/** JSON Schema of `plugin.json` and `server.json`, in both formats. */
export const manifestSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Toolgate plugin manifest',
  type: 'object',
  required: ['name'],
  anyOf: [{ required: ['packages'] }, { required: ['remotes'] }],
  properties: {
    name: { type: 'string', minLength: 1 },
    version: { type: 'string' },
    description: { type: 'string' },
    packages: {
      type: 'array',
      description: 'Without `mcp_package` in the registration, the first one over stdio whose runtime fits is used.',
      minItems: 1,
      items: { oneOf: [commandPackage, registryPackage] },
    },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'url'],
        properties: {
          type: { enum: ['sse', 'streamable-http', 'streamable_http'] },
          url: { type: 'string', format: 'uri' },
        },
      },
    },
  },
};
