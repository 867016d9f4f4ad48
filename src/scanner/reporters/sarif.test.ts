import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { aProject } from '../../../test/support/scan.js';
import { scan } from '../scan.js';
import { formatSarif } from './sarif.js';

const server = (body: string): string => `import os\nfrom fastmcp import FastMCP\nmcp = FastMCP("x")\n${body}`;
const reported = async (): Promise<unknown> => {
  const root = await aProject({
    'a b/server.py': server(
      '@mcp.tool()\ndef ping(host: str) -> str:\n    return os.popen(f"ping {host}").read()\n\n@mcp.tool()\ndef quiet(host: str) -> str:\n    # toolgate-ignore TG-TAINT-CMD: only ever called by us\n    return os.popen(f"ping {host}").read()\n',
    ),
    'broken.py': 'def (:\n',
    'x.bin.py': Buffer.from([0, 1, 2]),
  });
  const [first] = (await scan(root)).findings;
  return JSON.parse(formatSarif(await scan(root, { baseline: new Set(first ? [first.fingerprint] : []) }), '1.2.3'));
};

const text = {
  type: 'object',
  required: ['text'],
  additionalProperties: false,
  properties: { text: { type: 'string', minLength: 1 }, markdown: { type: 'string' } },
};
const count = { type: 'integer', minimum: 1 };
const place = {
  type: 'object',
  required: ['physicalLocation'],
  additionalProperties: false,
  properties: {
    message: text,
    physicalLocation: {
      type: 'object',
      required: ['artifactLocation', 'region'],
      additionalProperties: false,
      properties: {
        // Relative, with odd characters encoded: what reads the report joins it to a root of its own.
        artifactLocation: {
          type: 'object',
          required: ['uri', 'uriBaseId'],
          additionalProperties: false,
          properties: {
            uri: { type: 'string', pattern: "^(?!/|\\.\\.)[\\w./%~!()*'-]+$" },
            uriBaseId: { type: 'string' },
          },
        },
        region: {
          type: 'object',
          required: ['startLine'],
          additionalProperties: false,
          properties: { startLine: count, startColumn: count, endLine: count, endColumn: count },
        },
      },
    },
  },
};
const level = { enum: ['none', 'note', 'warning', 'error'] };
/** What the format asks of the parts that are written here, in our own words; nothing else may be written. */
const asked = {
  type: 'object',
  required: ['version', 'runs', '$schema'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      items: {
        type: 'object',
        required: ['tool', 'results'],
        additionalProperties: false,
        properties: {
          tool: {
            type: 'object',
            required: ['driver'],
            additionalProperties: false,
            properties: {
              driver: {
                type: 'object',
                required: ['name', 'rules'],
                additionalProperties: false,
                properties: {
                  name: { type: 'string' },
                  version: { type: 'string' },
                  rules: {
                    type: 'array',
                    uniqueItems: true,
                    items: {
                      type: 'object',
                      required: ['id', 'shortDescription', 'help'],
                      additionalProperties: false,
                      properties: {
                        id: { type: 'string' },
                        name: { type: 'string' },
                        shortDescription: text,
                        fullDescription: text,
                        help: text,
                        defaultConfiguration: { type: 'object', additionalProperties: false, properties: { level } },
                        properties: {
                          type: 'object',
                          properties: { tags: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
          invocations: {
            type: 'array',
            items: {
              type: 'object',
              required: ['executionSuccessful'],
              additionalProperties: false,
              properties: {
                executionSuccessful: { type: 'boolean' },
                toolExecutionNotifications: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['message'],
                    additionalProperties: false,
                    properties: { level, message: text },
                  },
                },
              },
            },
          },
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          results: {
            type: 'array',
            items: {
              type: 'object',
              required: ['ruleId', 'ruleIndex', 'message', 'locations', 'partialFingerprints'],
              additionalProperties: false,
              properties: {
                ruleId: { type: 'string' },
                ruleIndex: { type: 'integer', minimum: 0 },
                level,
                message: text,
                locations: { type: 'array', minItems: 1, items: place },
                partialFingerprints: {
                  type: 'object',
                  minProperties: 1,
                  additionalProperties: { type: 'string', pattern: '^[0-9a-f]{32}$' },
                },
                codeFlows: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['threadFlows'],
                    additionalProperties: false,
                    properties: {
                      threadFlows: {
                        type: 'array',
                        minItems: 1,
                        items: {
                          type: 'object',
                          required: ['locations'],
                          additionalProperties: false,
                          properties: {
                            locations: {
                              type: 'array',
                              minItems: 1,
                              items: { type: 'object', additionalProperties: false, properties: { location: place } },
                            },
                          },
                        },
                      },
                    },
                  },
                },
                suppressions: {
                  type: 'array',
                  uniqueItems: true,
                  items: {
                    type: 'object',
                    required: ['kind'],
                    additionalProperties: false,
                    properties: { kind: { enum: ['inSource', 'external'] }, justification: { type: 'string' } },
                  },
                },
                baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
                properties: { type: 'object' },
              },
            },
          },
        },
      },
    },
  },
};

test('a report with flows, gaps, a suppression and a known finding is what the format asks for', async () => {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(asked);
  const sarif = await reported();
  expect([validate(sarif), validate.errors]).toEqual([true, null]);
  expect(sarif).toMatchObject({ runs: [{ invocations: [{ toolExecutionNotifications: [{}, {}] }] }] });
  expect(JSON.stringify(sarif)).toMatch(/"codeFlows".*"inSource"|"inSource".*"codeFlows"/);
  expect(JSON.stringify(sarif)).toContain('"baselineState":"unchanged"');
  // The published schema is not ours to ship: whoever has a copy names it.
  const copy = process.env['SARIF_SCHEMA'];
  if (copy === undefined) return;
  const {
    $schema: _draft,
    id,
    ...schema
  }: { $schema?: string; id?: string } & Record<string, unknown> = JSON.parse(readFileSync(copy, 'utf8'));
  const published = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile({
    ...schema,
    ...(id === undefined ? {} : { $id: id }),
  });
  expect([published(sarif), published.errors]).toEqual([true, null]);
});

const { python }: { python: string } = await import('../../../test/clients/places.mjs' as string);
const reader = `
import json, sys
from sarif_pydantic import Sarif
print(Sarif.model_validate(json.load(sys.stdin)).version)
`;
const canRead = spawnSync(python, ['-c', 'import sarif_pydantic']).status === 0;
if (!canRead) console.log('skipped: the Python reader of SARIF is not installed (node test/clients/install.mjs)');

test.skipIf(!canRead)('a reader of the format that others made takes it, and refuses a spoiled one', async () => {
  const text = JSON.stringify(await reported());
  const read = (input: string) => spawnSync(python, ['-c', reader], { input, encoding: 'utf8' });
  expect(read(text)).toMatchObject({ status: 0, stdout: '2.1.0\n' });
  expect(read(text.replaceAll('"level":"error"', '"level":"horrible"')).stderr).toContain('level');
});
