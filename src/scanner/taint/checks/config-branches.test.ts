import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pythonServer } from '../../rules/cases.js';
import { scan } from '../../scan.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-modes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const worstOf = async (rule: string, imports: string, body: string): Promise<string | undefined> => {
  const path = join(folder, 'server.py');
  await writeFile(path, pythonServer(imports, body));
  const { findings } = await scan(path, { heuristics: false });
  return findings.find((finding) => finding.rule === rule && finding.kind === 'bug')?.severity;
};

const reads = `
@mcp.tool()
def read_note(name: str) -> str:
    """Reads a note."""
    path = Path(name)
    if not path.is_absolute():
        path = ROOT / path
    CHECK
    with open(path) as file:
        return file.read()`;
const imports = 'import argparse\nimport os\nfrom pathlib import Path';
const start = `args = argparse.ArgumentParser().parse_args()
ROOT = Path(args.root).absolute()
ANYWHERE = args.anywhere
`;

test.each([
  {
    name: 'a helper that lets everything through when it is told so',
    body: `${start}
def is_inside(path: Path) -> bool:
    if ANYWHERE:
        return True
    try:
        path.resolve().relative_to(ROOT.resolve())
        return True
    except ValueError:
        return False
${reads.replace('CHECK', 'if not is_inside(path):\n        return "no"')}`,
  },
  {
    name: 'a setting beside the check',
    body: `${start}${reads.replace('CHECK', 'path = path.resolve()\n    if not ANYWHERE and not path.is_relative_to(ROOT):\n        return "no"')}`,
  },
  {
    name: 'a function that resolves only where a folder was given',
    body: `${start}
def held(name: str) -> Path:
    base = os.environ.get("NOTES")
    if base:
        full = (Path(base).resolve() / name).resolve()
        if not full.is_relative_to(Path(base).resolve()):
            raise ValueError("outside")
        return full
    return Path(name).resolve()

@mcp.tool()
def read_note(name: str) -> str:
    """Reads a note."""
    with open(held(name)) as file:
        return file.read()`,
  },
])('a check that only a setting of the server lifts is no more than low: $name', async ({ body }) => {
  expect(await worstOf('TG-TAINT-PATH', imports, body)).toBe('low');
});

test('a check of the caller’s that is left out on one side is as bad as none', async () => {
  const half = `${start}
def is_inside(path: Path) -> bool:
    try:
        path.resolve().relative_to(ROOT.resolve())
        return True
    except ValueError:
        return False
${reads.replace('CHECK', 'if Path(name).is_absolute() and not is_inside(path):\n        return "no"')}`;
  expect(await worstOf('TG-TAINT-PATH', imports, half)).toMatch(/^(?:medium|high)$/);
});

test('a switch that the caller holds is no setting of the server', async () => {
  const body = `${start}
@mcp.tool()
def read_note(name: str, anywhere: bool = False) -> str:
    """Reads a note."""
    path = (ROOT / name).resolve()
    if not anywhere and not path.is_relative_to(ROOT.resolve()):
        return "no"
    with open(path) as file:
        return file.read()`;
  expect(await worstOf('TG-TAINT-PATH', imports, body)).toMatch(/^(?:medium|high)$/);
});

test('what was found out about the caller’s text is no setting of the server', async () => {
  const body = `${start}
@mcp.tool()
def write_page(text: str = "", file: str = "") -> str:
    """Writes a page."""
    has_text = text != ""
    if has_text:
        path = (ROOT / "page").resolve()
    else:
        path = Path(file).expanduser()
    return path.read_text()`;
  expect(await worstOf('TG-TAINT-PATH', imports, body)).toBe('medium');
});

test('a program behind a check is less bad than a shell line behind the same check', async () => {
  const line = (run: string): string => `
def looks_fine(line: str) -> None:
    if line.split()[0] not in TOOLS and not line.startswith("kube"):
        raise ValueError("no")
TOOLS = ["kubectl", "helm"]
@mcp.tool()
def describe(question: str) -> str:
    """Describes a resource of the cluster."""
    looks_fine(question)
    return str(${run})`;
  const by = (run: string) => worstOf('TG-TAINT-CMD', 'import shlex\nimport subprocess', line(run));
  expect(await by('subprocess.run(question, shell=True)')).toBe('high');
  expect(await by('subprocess.run(shlex.split(question))')).toBe('medium');
});
