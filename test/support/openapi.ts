import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Args } from '../../src/core/call.js';
import type { JsonObject } from '../../src/core/json.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { Tool } from '../../src/core/tool.js';
import { validate } from '../../src/guards/validate.js';
import type { OpenApiSource, OpenApiSourceOptions } from '../../src/sources/openapi/source.js';
import { openApiSource } from '../../src/sources/openapi/source.js';
import { localEgress } from './gates.js';
import { aCall, guarded, never } from './make.js';
import { temporaryFolder } from './temporary.js';

/** A document in a file of its own. */
export function documentFile(document: unknown, name = 'api.json'): string {
  const folder = temporaryFolder('openapi');
  const file = join(folder, name);
  writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
  return file;
}

/** A document with these paths. */
export const aDocument = (paths: object, rest: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 'test', version: '1' },
  paths,
  ...rest,
});

/** A document with one operation. */
export const oneOperation = (
  operation: object,
  {
    path = '/x',
    method = 'get',
    ...rest
  }: { readonly path?: string; readonly method?: string } & Record<string, unknown> = {},
): object =>
  aDocument(
    { [path]: { [method]: { operationId: 'op', responses: { 200: { description: 'ok' } }, ...operation } } },
    rest,
  );

export interface LoadedApi {
  readonly source: OpenApiSource;
  readonly tools: readonly Tool[];
  tool(name?: string): Tool;
  /** Calls a tool as the pipeline does: validated, then run. */
  call(args: object, name?: string): Promise<Outcome>;
}

/** A source over a document, with its tools listed; requests may go to this machine alone. */
export async function loadedApi(document: unknown, options: Partial<OpenApiSourceOptions> = {}): Promise<LoadedApi> {
  const file = options.document ?? documentFile(document);
  const source = openApiSource({
    id: 'api',
    prefix: 'none',
    openEgress: () => localEgress(),
    ...options,
    document: file,
  });
  const tools = await source.list(never);
  const tool = (name = 'op'): Tool => {
    const found = tools.find((each) => each.name === name);
    if (!found) throw new Error(`no tool ${name} among ${tools.map((each) => each.name).join(', ')}`);
    return found;
  };
  // Arguments come as JSON from every door.
  return {
    source,
    tools,
    tool,
    call: (args, name) => guarded([validate], tool(name).run, tool(name))(aCall({ args: args as Args })),
  };
}

/** References of a schema that its own `$defs` do not resolve. */
export function unresolvedReferences(schema: JsonObject): readonly string[] {
  const defs = new Set(Object.keys((schema['$defs'] ?? {}) as object)); // an object, by its keyword
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].flatMap(([, name = '']) =>
    defs.has(name) ? [] : [name],
  );
}
