import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argumentsOf } from '../../../../test/support/openapi-calls.js';
import { aDocument, loadedApi } from '../../../../test/support/openapi.js';
import { sharedPath } from '../../../../test/support/shared.js';
import type { Egress, EgressRequest } from '../../../net/egress/egress-types.js';
import { validate } from '../../../guards/validate.js';
import { aCall, guarded } from '../../../../test/support/make.js';
import { openApiSource } from '../source.js';
import { never } from '../../../../test/support/make.js';
import type { OperationTool } from '../tools/operation-tool.js';

/** A way out that only remembers. */
function recording(sent: EgressRequest[]): Egress {
  return {
    request: (request) => {
      sent.push(request);
      return Promise.resolve({
        kind: 'response',
        status: 200,
        headers: {},
        body: Buffer.from('{}'),
        finalUrl: String(request.url),
        hops: 0,
      });
    },
    open: () => Promise.reject(new Error('not used')),
    check: () => ({ ok: true }),
    vet: () => Promise.resolve({ ok: true, addresses: [] }),
    close: () => Promise.resolve(),
  };
}

/** What is wrong with a request as an outsider sees it: read again by the URL parser, it must be the operation's own. */
function escapes(request: EgressRequest, tool: OperationTool): string | undefined {
  const url = new URL(String(request.url));
  if (url.origin !== 'https://api.test' || url.username !== '' || url.password !== '' || url.hash !== '')
    return `origin ${url.href}`;
  const wanted = tool.operation.path.split(/[?#]/)[0]?.split('/').slice(1) ?? [];
  const got = url.pathname.split('/').slice(1);
  if (got[0] !== 'base' || got[1] !== 'v1') return `prefix ${url.pathname}`;
  const rest = got.slice(2);
  if (rest.length !== wanted.length) return `segments ${url.pathname}`;
  for (const [index, segment] of wanted.entries()) {
    const fixed = segment.split(/\{[^{}]*\}/);
    if (fixed.length === 1 && encodeURI(decodeURI(segment)) !== encodeURI(decodeURI(rest[index] ?? '')))
      return `literal ${segment} → ${rest[index]}`;
    if (fixed.length > 1 && ['', '.', '..'].includes(decodeURIComponent(rest[index] ?? '')))
      return `dots ${url.pathname}`;
  }
  if (request.method !== tool.operation.method) return `method ${request.method}`;
  const declared = new Set(
    tool.operation.parameters
      .filter((parameter) => parameter.in === 'header')
      .map((parameter) => parameter.name.toLowerCase()),
  );
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!['accept', 'content-type', 'cookie'].includes(name) && !declared.has(name)) return `header ${name}`;
    if (/[\r\n\0]/.test(value)) return `header value ${name}`;
  }
  const cookies = new Set(
    tool.operation.parameters.filter((parameter) => parameter.in === 'cookie').map((parameter) => parameter.name),
  );
  for (const cookie of request.headers?.['cookie']?.split('; ') ?? [])
    if (!cookies.has(cookie.split('=')[0] ?? '')) return `cookie ${cookie}`;
  return undefined;
}

async function noEscape(tools: readonly OperationTool[], sent: EgressRequest[], runs: number): Promise<number> {
  let count = 0;
  for (const tool of tools) {
    const handler = guarded([validate], tool.run, tool);
    for (const args of fc.sample(argumentsOf(tool), runs)) {
      sent.length = 0;
      const outcome = await handler(aCall({ args: args as never })); // generated as JSON
      count += 1;
      for (const request of sent)
        expect({ args, problem: escapes(request, tool) }).toEqual({ args, problem: undefined });
      if (outcome.kind === 'failed') expect(outcome.error.code).toBe('invalid_arguments');
    }
  }
  return count;
}

describe('no call leaves its operation [CVE-2026-32871]', () => {
  const styles = {
    path: ['simple', 'label', 'matrix'],
    query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
    header: ['simple'],
    cookie: ['form', 'cookie'],
  };
  const schemas = [{ type: 'string' }, { type: 'array', items: { type: 'string' } }, { type: 'object' }, {}];
  const operations = Object.entries(styles).flatMap(([place, names]) =>
    names.flatMap((style) =>
      schemas.flatMap((schema) =>
        [true, false].map((explode) => ({
          name: 'p',
          in: place,
          style,
          explode,
          schema,
          required: place === 'path',
          allowReserved: explode,
        })),
      ),
    ),
  );

  test('whatever the style, the place and the type', async () => {
    const sent: EgressRequest[] = [];
    const document = aDocument(
      Object.fromEntries(
        operations.flatMap((parameter, index) =>
          parameter.in === 'path'
            ? [
                [`/a${index}/{p}/end`, { get: { parameters: [parameter] } }],
                [`/b${index}/x{p}y`, { get: { parameters: [parameter] } }],
              ]
            : [[`/a${index}`, { get: { parameters: [parameter] } }]],
        ),
      ),
    );
    const api = await loadedApi(document, { baseUrl: 'https://api.test/base/v1', openEgress: () => recording(sent) });
    const tools = api.source.toolset()?.tools ?? [];
    expect(await noEscape(tools, sent, Number(process.env['ESCAPE_RUNS'] ?? 60))).toBeGreaterThan(4_000);
  });

  const folder = sharedPath('corpus/openapi');
  test.skipIf(folder === undefined)(
    'in any operation of real documents',
    async () => {
      const sent: EgressRequest[] = [];
      let count = 0;
      for (const file of readdirSync(folder ?? '').filter((name) => name !== 'index.json')) {
        const source = openApiSource({
          id: 'api',
          document: join(folder ?? '', file),
          baseUrl: 'https://api.test/base/v1',
          openEgress: () => recording(sent),
        });
        await source.list(never);
        const tools = (source.toolset()?.tools ?? []).filter((tool) =>
          tool.operation.parameters.some((parameter) => parameter.in === 'path'),
        );
        const every = Math.max(1, Math.floor(tools.length / 5));
        count += await noEscape(
          process.env['ESCAPE_RUNS'] === undefined ? tools.filter((_, index) => index % every === 0) : tools,
          sent,
          Number(process.env['ESCAPE_RUNS'] ?? 15),
        );
      }
      expect(count).toBeGreaterThan(500);
      if (process.env['ESCAPE_RUNS'] !== undefined) console.log(`${count} calls over the corpus`);
    },
    3_600_000,
  );
});
