// How fast servers are read: megabytes a second on one core and the memory it takes, over a tree of generated servers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../dist/scanner/index.js');

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
const module = (from, count) => `import os\nimport subprocess\nfrom mcp.server.fastmcp import FastMCP\nmcp = FastMCP("bench")\nBASE = "/srv/data"\n\n${Array.from({ length: count }, (_, at) => tool(from + at)).join('')}\nif __name__ == "__main__":\n    mcp.run()\n`;

/** Scans generated servers and answers what it cost. */
export async function run({ files = 40, tools = 40 } = {}) {
  const { scan } = await import(dist);
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-scan-'));
  try {
    for (let at = 0; at < files; at += 1) writeFileSync(join(folder, `server_${at}.py`), module(at * tools, tools));
    await scan(join(folder, 'server_0.py'));
    const before = process.cpuUsage();
    const report = await scan(folder);
    const used = process.cpuUsage(before);
    const cpuMs = (used.user + used.system) / 1_000;
    return { name: 'scanner', megabytes: report.surface.bytes / 1e6, tools: report.surface.tools.length, cpuMs: Math.round(cpuMs), megabytesPerCpuSecond: Number((report.surface.bytes / 1e3 / cpuMs).toFixed(2)), rssMegabytes: Math.round(process.memoryUsage().rss / 1e6) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(await run(), null, 2));
