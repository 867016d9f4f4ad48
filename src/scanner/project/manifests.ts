import { posix } from 'node:path';

/** Entry points, name and dependencies from a package.json. */
export interface NodeManifest {
  readonly folder: string;
  readonly name: string | undefined;
  readonly entries: readonly string[];
  readonly dependencies: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
}

/** Entry points from a pyproject.toml, setup.cfg or setup.py. */
export interface PythonManifest {
  readonly folder: string;
  /** `package.module:function` of each script. */
  readonly scripts: readonly { readonly module: string; readonly attribute: string }[];
}

/** The manifests of a tree; plain data, sent to worker threads. */
export interface Manifests {
  readonly node: NodeManifest[];
  readonly python: PythonManifest[];
  /** The `paths` of each tsconfig.json, by its folder. */
  readonly paths: Map<string, ReadonlyMap<string, readonly string[]>>;
}

export const emptyManifests = (): Manifests => ({ node: [], python: [], paths: new Map() });

/** Whether a file defines entry points or import paths. */
export const isManifest = (path: string): boolean =>
  /^(?:package\.json|tsconfig\.json|pyproject\.toml|setup\.(?:py|cfg)|entry_points\.txt)$/.test(posix.basename(path));

/** Parses a manifest and adds it to the others. */
export function addManifest(manifests: Manifests, path: string, text: string): void {
  const name = posix.basename(path);
  const folder = posix.dirname(path);
  if (name === 'package.json') {
    const manifest = nodeManifest(folder, text);
    if (manifest) manifests.node.push(manifest);
  } else if (name === 'tsconfig.json') manifests.paths.set(folder, tsconfigPaths(text));
  // Installed and built packages have entry_points.txt in a metadata folder next to the code.
  else manifests.python.push(pythonManifest(name === 'entry_points.txt' ? posix.dirname(folder) : folder, text));
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Parses a package.json; invalid fields count as absent. */
export function nodeManifest(folder: string, text: string): NodeManifest | undefined {
  let data: Record<string, unknown>;
  try {
    data = asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
  const entries: string[] = [];
  const add = (value: unknown, depth = 0): void => {
    if (typeof value === 'string' && !value.includes('*')) entries.push(value);
    else if (depth < 6) for (const each of Object.values(asRecord(value))) add(each, depth + 1);
  };
  add(data['bin']);
  for (const script of ['start', 'serve', 'dev', 'mcp'])
    entries.push(...filesInCommand(asRecord(data['scripts'])[script]));
  add(data['main']);
  add(data['module']);
  add(data['exports']);
  const dependencies = ['dependencies', 'devDependencies', 'peerDependencies'].flatMap((key) =>
    Object.keys(asRecord(data[key])),
  );
  const aliases = new Map(
    Object.entries(asRecord(data['imports'])).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as const] : [],
    ),
  );
  return {
    folder,
    name: typeof data['name'] === 'string' ? data['name'] : undefined,
    entries: [...new Set(entries)],
    dependencies,
    aliases,
  };
}

const filesInCommand = (command: unknown): string[] =>
  typeof command === 'string' && command.length < 2_000
    ? (command.match(/[\w@./-]+\.(?:[mc]?[jt]s|[jt]sx)\b/g) ?? [])
    : [];

/** Parses `paths` and `baseUrl` of a tsconfig.json; allows comments and trailing commas. */
export function tsconfigPaths(text: string): ReadonlyMap<string, readonly string[]> {
  try {
    const plain = text
      .replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => (part.startsWith('"') ? part : ''))
      .replace(/,(?=\s*[}\]])/g, '');
    const options = asRecord(asRecord(JSON.parse(plain))['compilerOptions']);
    const base = typeof options['baseUrl'] === 'string' ? options['baseUrl'] : '.';
    return new Map(
      Object.entries(asRecord(options['paths'])).map(([key, targets]) => [
        key,
        (Array.isArray(targets) ? targets : [])
          .filter((each): each is string => typeof each === 'string')
          .map((each) => `${base}/${each}`),
      ]),
    );
  } catch {
    return new Map();
  }
}

/** Finds script entry points of the form `name = "package.module:function"` in a Python packaging file. */
export function pythonManifest(folder: string, text: string): PythonManifest {
  const scripts: { module: string; attribute: string }[] = [];
  for (const match of text.slice(0, 200_000).matchAll(/=\s*["']?([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)/g)) {
    if (match[1] && match[2]) scripts.push({ module: match[1], attribute: match[2] });
  }
  return { folder, scripts };
}
