// A gateway without features, the floor of the comparison: one token, modern tools/call only, one upstream over pipes or HTTP.
// `lean.mjs stdio|http <port> [guards]`; with guards it does the least that deserves the names: schema, rate, slots, deadline,
// secrets and control characters in the result, one audit line per call in a hash chain, one log line.
import { spawn } from 'node:child_process';
import { createHash, timingSafeEqual } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { place } from '../mcp/process.mjs';
import { token } from '../mcp/requests.mjs';
import { report } from '../mcp/servers/child.mjs';

const [kind, far, guards] = process.argv.slice(2);
const expected = Buffer.from(`Bearer ${token}`);

function overPipe() {
  const child = spawn(process.execPath, [place('upstream/echo-stdio.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let next = 0;
  let rest = '';
  let out = '';
  const flush = () => {
    child.stdin.write(out);
    out = '';
  };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      const resolve = waiting.get(message.id);
      waiting.delete(message.id);
      resolve?.(message.result);
    }
  });
  process.on('exit', () => child.kill('SIGKILL'));
  return (params) =>
    new Promise((resolve) => {
      const id = next++;
      waiting.set(id, resolve);
      if (out === '') setImmediate(flush);
      out += `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`;
    });
}

function overHttp(port) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let next = 0;
  return (params) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: next++, method: 'tools/call', params });
      const req = request(
        {
          agent,
          port,
          host: '127.0.0.1',
          path: '/mcp',
          method: 'POST',
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        },
        (res) => {
          const chunks = [];
          res
            .on('data', (chunk) => chunks.push(chunk))
            .on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')).result));
        },
      );
      req.on('error', reject);
      req.end(body);
    });
}

const suspicious = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]|AKIA[0-9A-Z]{16}|ghp_\w{36}|-----BEGIN/;

function guarded(run) {
  const journal = openSync(join(process.env.HOME, 'lean-audit.jsonl'), 'a');
  let previous = '';
  let lines = '';
  let log = '';
  let waiters = [];
  let running = 0;
  let tokens = 1e9;
  const flush = () => {
    writeSync(journal, lines);
    writeSync(2, log);
    lines = log = '';
    const done = waiters;
    waiters = [];
    for (const resolve of done) resolve();
  };
  const record = (entry) =>
    new Promise((resolve) => {
      const line = JSON.stringify(entry);
      previous = createHash('sha256').update(previous).update(line).digest('hex');
      if (lines === '') setImmediate(flush);
      lines += `${line.slice(0, -1)},"hash":"${previous}"}\n`;
      log += `{"time":"${new Date().toISOString()}","event":"tool.end","tool":"${entry.tool}"}\n`;
      waiters.push(resolve);
    });
  return async (params) => {
    if (tokens-- <= 0 || running >= 256 || typeof params.arguments?.text !== 'string') return { isError: true };
    running += 1;
    const timer = setTimeout(() => {}, 30_000);
    const argsDigest = createHash('sha256').update(JSON.stringify(params.arguments)).digest('hex');
    const result = await run(params);
    clearTimeout(timer);
    running -= 1;
    for (const { text } of result.content) if (suspicious.test(text)) return { isError: true };
    await record({ at: Date.now(), tool: params.name, argsDigest, decision: 'allowed' });
    return result;
  };
}

const direct = kind === 'http' ? overHttp(Number(far)) : overPipe();
const run = guards === 'guards' ? guarded(direct) : direct;
const server = createServer((req, res) => {
  const given = Buffer.from(req.headers.authorization ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return res.writeHead(401).end();
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', async () => {
    const { id, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const { content } = await run({ name: params.name, arguments: params.arguments });
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content } });
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    res.end(text);
  });
  return undefined;
});
server.listen(0, '127.0.0.1', () => report(server.address().port));
