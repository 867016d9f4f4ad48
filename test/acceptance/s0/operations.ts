import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { load, loadAll } from 'js-yaml';
import { aPlace, builtLibrary, toolgate } from '../../support/toolgate.js';
import { aFolder } from '../folder.js';
import type { Loose } from '../mcp-client.js';
import { row } from '../row.js';
import { callTool, client, result } from './world.js';

const deployed = (name: string): string => readFileSync(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

/** Transports, manifests and what operators need. */
export const operations = [
  row(
    'S0.115',
    'Transports can be exchanged and added: each is a door to the same tools',
    'Called one tool over REST, MCP on HTTP and MCP on stdio; added a route to an embedded gateway',
    async () => {
      expect((await result('say')).stdout).toContain('hello');
      for (const door of ['http', 'stdio'] as const)
        expect(JSON.stringify(await callTool(await client('2025-11-25', door), 'say'))).toContain('hello');
      const { createGate, defineRoute, defineSource } = await builtLibrary();
      const own = await createGate({
        config: { state: { directory: aPlace() }, commands: { builtins: false } },
        sources: [
          defineSource({
            id: 'own',
            tools: [{ name: 'own__say', description: 'Greets', input: { type: 'object' }, run: () => 'hi' }],
          }),
        ],
        routes: [
          defineRoute({ method: 'GET', path: '/own', auth: 'principal', handle: () => new Response('another door') }),
        ],
      });
      const response = await own.fetch(
        new Request('http://gate/own', { headers: { authorization: `Bearer ${own.token}` } }),
      );
      expect([response.status, await response.text()]).toEqual([200, 'another door']);
      expect((await own.fetch(new Request('http://gate/own'))).status).toBe(401);
      await own.close();
      return 'the same answer through three doors; a route of a program is served behind the same credential check';
    },
  ),
  row(
    'S0.132',
    'Operators get monitors for 429, alerts on errors, a dashboard, and container and Kubernetes examples with limits and preStop',
    'Read the files under `deploy/`',
    () => {
      const { groups } = load(deployed('prometheus/toolgate.rules.yml')) as Loose;
      const alerts: readonly Loose[] = groups.flatMap(({ rules }: Loose) => rules);
      expect(alerts.some(({ expr }) => /rate_limited/.test(expr ?? ''))).toBe(true);
      expect(alerts.filter(({ alert }) => alert !== undefined).length).toBeGreaterThan(4);
      expect(JSON.parse(deployed('grafana/toolgate.json')).panels.length).toBeGreaterThan(4);
      expect(deployed('container/Containerfile')).toMatch(/^FROM /m);
      const objects = loadAll(deployed('kubernetes/toolgate.yaml')) as readonly Loose[];
      const workload = objects.find(({ kind }) => /Deployment|StatefulSet/.test(kind));
      const container = workload?.spec.template.spec.containers[0];
      expect(container).toMatchObject({
        resources: { limits: expect.anything() },
        lifecycle: { preStop: expect.anything() },
      });
      return 'an alert for 429 and for errors, a dashboard, a container file, and a deployment with limits and preStop';
    },
  ),
  row(
    'S0.133',
    '`check` warns about manifest flags that write files, execute, listen or raise privileges',
    'Ran `check` on a manifest with one flag of each, and on one without',
    async () => {
      const flag = (name: string, spelling: string): string =>
        `  ${name}: { flag: ${spelling}, type: string, pattern: '[a-z]+' }\n`;
      const manifest = (flags: string): string => `command: echo\ntarget: { kind: none }\nflags:\n${flags}`;
      const risky = `${flag('file', '-o')}${flag('run', '--exec')}  serve: { flag: --listen, type: boolean }\n  root: { flag: --sudo, type: boolean }\n`;
      const check = (flags: string) =>
        toolgate(
          aFolder({ 'toolgate.yaml': 'commands: { directories: [tools] }\n', 'tools/x.tool.yaml': manifest(flags) }),
          ['check'],
        );
      const warned = await check(risky);
      expect(warned.code).toBe(0);
      for (const risk of [
        '-o) writes files',
        '--exec) executes programs',
        '--listen) listens',
        '--sudo) raises privileges',
      ])
        expect(warned.out).toContain(risk);
      expect((await check('  count: { flag: -c, type: integer, min: 1, max: 5 }\n')).out).not.toContain('risky-flag');
      return 'one warning each, with file, flag and reason; none for a harmless flag';
    },
  ),
];
