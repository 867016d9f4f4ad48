// Scanner speed: megabytes per second on one core, the time of a typical server, and the memory of a scan of a hundred
// megabytes. Trees are generated, so that this runs anywhere; every scan is checked for its tools.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonPackage } from './scanner-python.mjs';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist/scanner');

const tool = (n) => `@mcp.tool()
def tool_${n}(name: str, count: int = 1) -> str:
    """Does the thing number ${n} for a name."""
    lines = []
    for turn in range(count):
        line = f"{name}-{turn}"
        if line not in lines:
            lines.append(helper_${n}(line))
    path = os.path.realpath(os.path.join(BASE, os.path.basename(name)))
    if not path.startswith(BASE + os.sep):
        raise ValueError("outside")
    with open(path) as file:
        lines.append(file.read())
    return "\\n".join(lines)

def helper_${n}(text):
    return subprocess.run(["echo", text], capture_output=True, text=True).stdout

`;
const library = (n) => `export class Service${n} {
  constructor(options) {
    this.options = options;
    this.cache = new Map();
  }
  async find(query, { limit = 10, offset = 0 } = {}) {
    const key = JSON.stringify([query, limit, offset]);
    if (this.cache.has(key)) return this.cache.get(key);
    const rows = [];
    for (let at = offset; at < offset + limit; at += 1) {
      const row = { id: \`${n}-\${at}\`, name: query + at, size: (at * 31 + ${n}) % 97, text: 'row number ' + at };
      if (row.size > 3 && row.name.length / 2 > 1 && !/^[a-z]{${n % 7}}\\/$/.test(row.name)) rows.push(row);
    }
    this.cache.set(key, rows);
    return rows;
  }
}
`;
const pythonServer = (from, count) =>
  `import os\nimport subprocess\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP("bench")\nBASE = "/srv/data"\n\n${Array.from({ length: count }, (_, at) => tool(from + at)).join('')}\nif __name__ == "__main__":\n    mcp.run()\n`;
const scriptServer = (bytes, tools) => {
  const parts = [
    'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nimport { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";\n',
  ];
  let length = 0;
  for (let n = 0; length < bytes; n += 1) {
    const piece = library(n);
    parts.push(piece);
    length += piece.length;
  }
  parts.push('const server = new McpServer({ name: "bench", version: "1.0.0" });\n');
  for (let n = 0; n < tools; n += 1)
    parts.push(
      `server.registerTool("find_${n}", { description: "Finds things of kind ${n}." }, async ({ query }) => ({ content: [{ type: "text", text: JSON.stringify(await new Service${n}({}).find(query)) }] }));\n`,
    );
  parts.push('await server.connect(new StdioServerTransport());\n');
  return parts.join('');
};

function put(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A server of the size that most have: a few files, a dozen tools. */
function usualServer(folder, n) {
  put(
    folder,
    'package.json',
    JSON.stringify({ name: `bench-${n}`, version: '1.0.0', type: 'module', bin: './index.js' }),
  );
  put(folder, 'index.js', scriptServer(60_000 + n * 2_000, 12));
  return 12;
}

/** A hundred megabytes: Python servers, modules, bundles of ten to forty megabytes. */
function largeTree(folder) {
  for (let at = 0; at < 500; at += 1) put(folder, `servers/s${at % 25}/server_${at}.py`, pythonServer(at * 40, 40));
  for (let at = 0; at < 500; at += 1)
    put(
      folder,
      `modules/m${at % 25}/module_${at}.js`,
      Array.from({ length: 30 }, (_, n) => library(at * 30 + n)).join(''),
    );
  for (const [name, bytes] of [
    ['a', 10e6],
    ['b', 25e6],
    ['c', 40e6],
  ])
    put(folder, `bundles/${name}.js`, scriptServer(bytes, 20));
}

/** Scans folders one after another in a process of their own, set up as the command sets itself up, and answers what each took, from the start of its scan. */
function scannedAfterAnother(folders) {
  const code = `import { scan } from ${JSON.stringify(join(dist, 'index.js'))};
import { delayOptimization } from ${JSON.stringify(join(dist, 'jit-tuning.js'))};
delayOptimization();
const all = [];
for (const folder of ${JSON.stringify(folders)}) {
  const before = process.cpuUsage(), from = performance.now();
  const report = await scan(folder);
  const { user, system } = process.cpuUsage(before);
  all.push({ bytes: report.surface.bytes, tools: report.surface.tools.length, verdict: report.verdict, gaps: report.gaps.length, cpuMs: (user + system) / 1e3, ms: performance.now() - from, rss: process.resourceUsage().maxRSS / 1024 });
}
console.log(JSON.stringify(all));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
    timeout: 400_000,
  });
  if (status !== 0) throw new Error(`the scan ended with ${status}: ${stderr.slice(-500)}`);
  return JSON.parse(stdout);
}

const scanned = (folder) => scannedAfterAnother([folder])[0];

const round = (value, digits = 0) => Number(value.toFixed(digits));
const perSecond = ({ bytes, cpuMs }) => round(bytes / 1e3 / cpuMs, 2);

/** Scans generated servers and answers what it cost. */
export function run({ servers = 9, large = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-scan-'));
  try {
    const usual = Array.from({ length: servers }, (_, n) => {
      const place = join(folder, `usual-${n}`);
      const tools = usualServer(place, n);
      const took = scanned(place);
      if (took.tools !== tools) throw new Error(`${took.tools} of ${tools} tools were found`);
      return took;
    }).sort((one, other) => one.ms - other.ms);
    const bundle = join(folder, 'bundle');
    put(
      bundle,
      'package.json',
      JSON.stringify({ name: 'bundle', version: '1.0.0', type: 'module', bin: './index.js' }),
    );
    put(bundle, 'index.js', scriptServer(4e6, 20));
    const python = join(folder, 'python');
    for (let at = 0; at < 20; at += 1) put(python, `server_${at}.py`, pythonServer(at * 40, 40));
    const package_ = join(folder, 'package');
    for (const [path, text] of pythonPackage(20)) put(package_, path, text);
    const before = [join(folder, 'usual-0'), join(python, 'server_0.py')];
    const [, , ofBundle, ofPython, ofPackage] = scannedAfterAnother([...before, bundle, python, package_]);
    if (ofBundle.tools !== 20 || ofPython.tools !== 800 || ofPackage.tools !== 40)
      throw new Error('not all tools were found');
    const tree = join(folder, 'tree');
    if (large) largeTree(tree);
    const ofTree = large ? scanned(tree) : undefined;
    return {
      name: 'scanner',
      bundleMegabytesPerCpuSecond: perSecond(ofBundle),
      pythonPackageMegabytesPerCpuSecond: perSecond(ofPackage),
      denseToolsMegabytesPerCpuSecond: perSecond(ofPython),
      denseToolsPerCpuSecond: round((ofPython.tools / ofPython.cpuMs) * 1e3),
      medianServerMs: round(usual[usual.length >> 1].ms),
      medianServerCpuMs: round(usual.map(({ cpuMs }) => cpuMs).sort((one, other) => one - other)[usual.length >> 1]),
      ...(ofTree
        ? {
            largeTree: {
              megabytes: round(ofTree.bytes / 1e6, 1),
              seconds: round(ofTree.ms / 1e3, 1),
              peakRssMegabytes: round(ofTree.rss),
              verdict: ofTree.verdict,
              unfinished: ofTree.gaps,
              megabytesPerCpuSecond: perSecond(ofTree),
            },
          }
        : {}),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(JSON.stringify(run({ large: !process.argv.includes('--small') }), null, 2));
