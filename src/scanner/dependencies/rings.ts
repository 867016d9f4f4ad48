import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from '../languages/index.js';
import { importsIn } from '../project/imports.js';
import { readText } from '../project/read-text.js';
import { locateFile, walkFiles, type WalkedFiles } from '../project/walk.js';
import { nodeModulesOf, requirementsOf, type Requirement } from './requirements.js';

/** Finds the folder of a package that is not installed, such as by downloading it; undefined if it cannot be had. */
export type FetchPackage = (wanted: Requirement) => Promise<string | undefined>;

/** Bounds of the dependencies that are read with a server. */
const limits = { rings: 3, packages: 8, files: 3_000, bytesPerFile: 4_000_000, maxDepth: 30, maxFiles: 4_000 };

/** Libraries that the models cover, or that offer no tools: reading them would only cost time. */
const covered =
  /^(?:@modelcontextprotocol\/|@types\/|zod|zod-|ajv|express|cors|fastify|hono|@hono\/|axios|node-fetch|undici|got|ky|dotenv|commander|yargs|minimist|chalk|ora|pino|winston|debug|uuid|nanoid|lodash|date-fns|dayjs|moment|ws|pg|mysql|mysql2|sqlite3|better-sqlite3|mongodb|redis|ioredis|typescript|tslib|reflect-metadata|rxjs|semver|glob|fs-extra|cheerio|jsdom|puppeteer|openai|@anthropic-ai\/|@aws-sdk\/|@azure\/|@google-cloud\/|googleapis|@octokit\/|mcp$|fastmcp$|pydantic|httpx|requests|aiohttp|starlette|fastapi|uvicorn|click|typer|rich|python-dotenv|boto3|botocore|numpy|pandas|sqlalchemy|psycopg|pymysql|redis|typing-extensions|anyio|loguru|structlog|pyyaml|jinja2|beautifulsoup4|lxml|pillow|matplotlib|scipy|torch|openpyxl|tenacity|cryptography|websockets|tqdm|neo4j|pymongo|google-|azure-|kubernetes)/i;

/** Names that packages with tools usually have. */
const likely = /mcp|tool|agent|toolkit|server|core|playwright/i;
const registers =
  /registerTool|setRequestHandler|addTool|tools\/list|\.tool\(|McpServer|FastMCP|@mcp\.|list_tools|inputSchema/;

const normalise = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

/** Package that an import names: `@scope/name/part` is `@scope/name`, `pkg.module` is `pkg`. */
function packageIn(source: string, isPython: boolean): string | undefined {
  if (isPython) return source.startsWith('.') ? undefined : source.split('.')[0];
  if (/^[./#]|^node:/.test(source)) return undefined;
  return source
    .split('/')
    .slice(0, source.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * Adds dependencies that may register tools or receive the caller's data, ring by ring: packages that the server imports, then
 * packages that those import. Undefined if there is none.
 */
export async function withDependencies(
  walked: WalkedFiles,
  fetch: FetchPackage | undefined,
): Promise<WalkedFiles | undefined> {
  if (walked.only !== undefined) return undefined;
  const mounts = new Map<string, string>();
  const asked = new Set<string>();
  let files: readonly string[] = walked.files;
  let open: readonly string[] = walked.files;
  for (let ring = 0; ring < limits.rings && mounts.size < limits.packages; ring += 1) {
    const tree = { ...walked, files, mounts };
    const wanted = wantedIn(tree, open).filter(({ kind, name }) => !asked.has(`${kind}:${name}`));
    const added: string[] = [];
    for (const requirement of wanted) {
      if (mounts.size >= limits.packages) break;
      asked.add(`${requirement.kind}:${requirement.name}`);
      const found = await findPackage(walked.root, requirement, mounts, fetch);
      for (const [prefix, folder] of found) {
        const listed = await codeOf(folder, prefix);
        if (listed.length === 0) continue;
        mounts.set(prefix, folder);
        added.push(...listed);
      }
    }
    if (added.length === 0) break;
    files = [...files, ...added].sort();
    open = added;
  }
  return mounts.size === 0 ? undefined : { ...walked, files, mounts };
}

/** Declared dependencies that these files import, most likely first. */
function wantedIn(tree: WalkedFiles, files: readonly string[]): readonly Requirement[] {
  const declared = [...requirementsOf(tree).values()];
  const imported = new Set<string>();
  for (const path of files) {
    if (!isCode(path)) continue;
    const file = readText(locateFile(tree, path), limits.bytesPerFile);
    if ('reason' in file) continue;
    const isPython = path.endsWith('.py');
    for (const source of importsIn(isPython ? 'python' : 'javascript', file.text)) {
      const name = packageIn(source, isPython);
      if (name !== undefined) imported.add(`${isPython ? 'pypi' : 'npm'}:${normalise(name)}`);
    }
  }
  const own = ownScope(tree);
  const rank = ({ name }: Requirement): number => (own !== '' && name.startsWith(own) ? 0 : likely.test(name) ? 1 : 2);
  return declared
    .filter(({ kind, name }) => imported.has(`${kind}:${normalise(name)}`) && !covered.test(name))
    .toSorted((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
}

/** Scope of the scanned package, whose other packages are its own code. */
function ownScope(tree: WalkedFiles): string {
  const file = tree.files.includes('package.json') ? readText(locateFile(tree, 'package.json'), 1_000_000) : undefined;
  return (file && 'text' in file ? /"name"\s*:\s*"(@[\w.-]+\/)/.exec(file.text)?.[1] : undefined) ?? '';
}

/** Folders of a package with the prefix of their paths: installed beside the server, or fetched. */
async function findPackage(
  root: string,
  wanted: Requirement,
  mounts: ReadonlyMap<string, string>,
  fetch: FetchPackage | undefined,
): Promise<readonly (readonly [string, string])[]> {
  if (wanted.kind === 'npm') {
    const places = [root, ...mounts.values()].flatMap((folder) => nodeModulesOf(folder, wanted.name));
    const folder = places.find((each) => existsSync(join(each, 'package.json'))) ?? (await fetch?.(wanted));
    return folder === undefined ? [] : [[`node_modules/${wanted.name}`, folder]];
  }
  const installed = sitePackages(root);
  const fetched = installed.length > 0 ? undefined : await fetch?.(wanted);
  const homes = [...installed, ...(fetched === undefined ? [] : [fetched])];
  const module = normalise(wanted.name).replaceAll('-', '_');
  return homes.flatMap((home): (readonly [string, string])[] =>
    readdirSync(home, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && normalise(entry.name) === normalise(module))
      .map((entry) => [`site-packages/${entry.name}`, join(home, entry.name)]),
  );
}

/** The `site-packages` folders of virtual environments in the root. */
function sitePackages(root: string): readonly string[] {
  return ['.venv', 'venv'].flatMap((name) => {
    const library = join(root, name, 'lib');
    return existsSync(library)
      ? readdirSync(library)
          .map((version) => join(library, version, 'site-packages'))
          .filter((each) => existsSync(each))
      : [];
  });
}

/** Code and manifests of a package, if it mentions registrations or is imported for other code that may. */
async function codeOf(folder: string, prefix: string): Promise<readonly string[]> {
  const { files } = await walkFiles(folder, limits);
  const wanted = files.filter(
    (path) => (isCode(path) && !/\.d\.[cm]?ts$|\.map$/.test(path)) || path === 'package.json',
  );
  if (wanted.length === 0 || wanted.length > limits.files) return [];
  const code = wanted.filter(isCode);
  const mentions = code.some((path) => {
    const file = readText(join(folder, path), limits.bytesPerFile);
    return 'text' in file && registers.test(file.text);
  });
  // A thin package only passes on another one.
  return mentions || code.length <= 3 ? wanted.map((path) => `${prefix}/${path}`) : [];
}
