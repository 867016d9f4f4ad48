import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { locateFile, type WalkedFiles } from '../project/walk.js';

/** A declared dependency. */
export interface Requirement {
  readonly kind: 'npm' | 'pypi';
  readonly name: string;
  /** Exact version: the lowest that the declaration allows, so that the result does not depend on the day of the scan. */
  readonly version: string | undefined;
}

const exact = /^[\^~>=v\s]*(\d+(?:\.\d+){0,2}(?:[-.+][\w.+-]+)?)/;

const lowestOf = (range: unknown): string | undefined =>
  typeof range === 'string' ? exact.exec(range)?.[1] : undefined;

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').slice(0, 1_000_000);
  } catch {
    return '';
  }
};

/** Dependencies declared in the manifests of a tree, by package name. */
export function requirementsOf(walked: WalkedFiles): ReadonlyMap<string, Requirement> {
  const found = new Map<string, Requirement>();
  const add = (requirement: Requirement): void => {
    const key = `${requirement.kind}:${requirement.name}`;
    if (!found.has(key)) found.set(key, requirement);
  };
  for (const path of walked.files) {
    const file = locateFile(walked, path);
    if (/(?:^|\/)package\.json$/.test(path)) nodeRequirements(read(file)).forEach(add);
    else if (/(?:^|\/)METADATA$/.test(path)) metadataRequirements(read(file)).forEach(add);
    else if (/(?:^|\/)pyproject\.toml$/.test(path)) projectRequirements(read(file)).forEach(add);
  }
  return found;
}

function nodeRequirements(text: string): readonly Requirement[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return [];
  }
  // Read as an open record: any field of a package.json may hold anything.
  const { dependencies } = (typeof manifest === 'object' && manifest !== null ? manifest : {}) as Record<
    string,
    unknown
  >;
  return Object.entries(typeof dependencies === 'object' && dependencies !== null ? dependencies : {}).map(
    ([name, range]): Requirement => ({ kind: 'npm', name, version: lowestOf(range) }),
  );
}

const toRequirement = (line: string): Requirement[] => {
  const match = /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*\(?([^;)]*)/.exec(line.trim());
  const version = match?.[2] === undefined ? undefined : /(?:==|~=|>=)\s*([\d][\w.]*)/.exec(match[2])?.[1];
  return match?.[1] === undefined ? [] : [{ kind: 'pypi', name: match[1], version }];
};

const metadataRequirements = (text: string): readonly Requirement[] =>
  [...text.matchAll(/^Requires-Dist: (.+)$/gm)]
    .filter(([line]) => !/extra\s*==/.test(line))
    .flatMap(([, line = '']) => toRequirement(line));

function projectRequirements(text: string): readonly Requirement[] {
  const [, list = ''] = /^dependencies\s*=\s*\[([\s\S]*?)\]\s*$/m.exec(text) ?? [];
  return [...list.matchAll(/["']([^"'\n]+)["']/g)].flatMap(([, line = '']) => toRequirement(line));
}

/** Folder of an installed npm package: in `node_modules` of this folder or of a folder above it. */
export const nodeModulesOf = (folder: string, name: string): readonly string[] =>
  Array.from({ length: 5 }, (_, up) => join(folder, ...Array.from({ length: up }, () => '..'), 'node_modules', name));
