// node convert.mjs <contender> <documents…>: turns each document into tool definitions and prints what came of it, one JSON line at the end.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const [contender, ...documents] = process.argv.slice(2);
const baseUrl = 'https://api.example/v1';

async function generator(dereference) {
  const { getToolsFromOpenApi } = await import('../peers/node_modules/openapi-mcp-generator/dist/api.js');
  return async (document) => ({
    tools: (await getToolsFromOpenApi(document, { baseUrl, dereference })).map(
      ({ name, description, inputSchema }) => ({ name, description, inputSchema }),
    ),
  });
}

const contenders = {
  async toolgate() {
    const { openApiSource } = await import('../../dist/sources/openapi/source.js');
    const { definitionOf } = await import('../../dist/core/definition.js');
    return async (document) => {
      const source = openApiSource({
        id: 'api',
        prefix: 'none',
        document,
        baseUrl,
        openEgress: () => {
          throw new Error('nothing is sent');
        },
      });
      await source.list(new AbortController().signal);
      return { tools: source.toolset().tools.map(definitionOf), withheld: source.withheld().length };
    };
  },
  'openapi-mcp-generator': () => generator(false),
  'openapi-mcp-generator, dereferenced': () => generator(true),
  async fastmcp() {
    const { fromOpenAPI } = await import('../peers/node_modules/fastmcp/dist/openapi/index.js');
    const { toJsonSchema } = await import('../peers/node_modules/xsschema/dist/index.js').catch(() => ({}));
    return async (document) => {
      const added = [];
      await fromOpenAPI({
        spec: document,
        baseUrl,
        maxTools: Infinity,
        server: { addTool: (tool) => added.push(tool) },
      });
      const schema = async (adapter) =>
        adapter &&
        (adapter['~standard']?.jsonSchema?.input?.({ target: 'draft-2020-12' }) ??
          adapter.toJsonSchema?.() ??
          (toJsonSchema ? await toJsonSchema(adapter) : adapter));
      return {
        tools: await Promise.all(
          added.map(async ({ name, description, parameters, outputSchema }) => ({
            name,
            description,
            inputSchema: await schema(parameters),
            outputSchema: await schema(outputSchema),
          })),
        ),
      };
    };
  },
};

/** Does a schema refer to something that is not in it? */
function dangles(schema) {
  const reaches = (ref) =>
    ref.startsWith('#') &&
    ref
      .slice(1)
      .split('/')
      .slice(1)
      .reduce((at, key) => at?.[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')], schema) !==
      undefined;
  return [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].some(([, ref]) => !reaches(ref));
}

console.warn = () => {};
console.log = () => {};
const convert = await contenders[contender]();
const sum = {
  loaded: 0,
  tools: 0,
  withheld: 0,
  bytes: 0,
  inputBytes: 0,
  largestTool: 0,
  dangling: 0,
  withoutArguments: 0,
  unserialisable: 0,
  slowest: { document: '', ms: 0 },
  failed: [],
};
const before = process.cpuUsage();
for (const document of documents) {
  const start = performance.now();
  try {
    const { tools, withheld = 0 } = await convert(document);
    sum.loaded += 1;
    sum.withheld += withheld;
    for (const tool of tools) {
      try {
        const bytes = Buffer.byteLength(JSON.stringify(tool));
        sum.tools += 1;
        sum.bytes += bytes;
        sum.inputBytes += Buffer.byteLength(JSON.stringify(tool.inputSchema));
        if (dangles(tool.inputSchema)) sum.dangling += 1;
        if (Object.keys(tool.inputSchema.properties ?? {}).length === 0) sum.withoutArguments += 1;
        sum.largestTool = Math.max(sum.largestTool, bytes);
      } catch {
        sum.unserialisable += 1;
      }
    }
  } catch (error) {
    sum.failed.push({ document: basename(document), reason: String(error.message).slice(0, 80) });
  }
  const ms = performance.now() - start;
  if (ms > sum.slowest.ms)
    sum.slowest = { document: basename(document), ms: Math.round(ms), bytes: readFileSync(document).length };
}
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  `${JSON.stringify({ ...sum, cpuMs: Math.round((user + system) / 1000), peakMb: Math.round(process.resourceUsage().maxRSS / 1024) })}\n`,
);
