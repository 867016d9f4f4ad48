import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Withheld } from '../../../core/source.js';
import type { CommandDefinition } from '../definition.js';
import { findParser, parserNames } from '../output/parsers.js';

/** Result of scanning a folder: commands, and rejected files with the reason. */
interface DiscoveredManifests {
  readonly definitions: readonly CommandDefinition[];
  readonly withheld: readonly Withheld[];
}

/** Files with this ending declare a tool; others in the folder are ignored. */
const manifestSuffix = '.tool.yaml';
/** Names of base classes and tests, which some packs keep beside their tools. */
const excludedNames = /^(?:Test|Mock|Abstract|_|Example)|(?:Base|Mixin|Interface)$|^MCPBaseTool$/;
/** Bounds of one file and of a folder, against exhausting memory at the start. */
const maxFileBytes = 262_144;
const maxFiles = 500;
/** Mode bit of write permission for others. */
const worldWritableBit = 0o002;

/** Whether a file name declares a tool; names such as `TestX` or `_x` are excluded. */
export const isToolFile = (file: string): boolean =>
  file.endsWith(manifestSuffix) && !excludedNames.test(file.slice(0, -manifestSuffix.length));

/** Loads every `{command}.tool.yaml` of a folder; an invalid file is reported and skipped, the rest load. */
export async function discoverManifests(folder: string): Promise<DiscoveredManifests> {
  const definitions: CommandDefinition[] = [];
  const withheld: Withheld[] = [];
  let names: readonly string[];
  try {
    if (isWorldWritable(await stat(folder)))
      return {
        definitions,
        withheld: [{ what: folder, why: 'the manifest folder is world-writable; remove write permission for others' }],
      };
    // Sorted: the order decides which of two tools with one name is kept, and must not depend on the file system.
    names = (await readdir(folder)).filter(isToolFile).sort();
  } catch {
    return { definitions, withheld: [{ what: folder, why: 'the manifest folder cannot be read' }] };
  }
  if (names.length > maxFiles)
    withheld.push({ what: folder, why: `has more than ${maxFiles} manifests; the rest are ignored` });
  for (const file of names.slice(0, maxFiles)) {
    const found = await readManifestFile(folder, file);
    if (typeof found === 'string') withheld.push({ what: file, why: found });
    else if (found !== undefined) definitions.push(found);
  }
  return { definitions, withheld };
}

/** Reads one manifest; a string is the reason for leaving it out, undefined means that it declares no tool. */
async function readManifestFile(folder: string, file: string): Promise<CommandDefinition | string | undefined> {
  const path = join(folder, file);
  let text: string;
  try {
    // Symbolic links are allowed (Kubernetes mounts configuration that way), but not out of the folder: path traversal.
    const real = await realpath(path);
    if (!real.startsWith((await realpath(folder)) + sep)) return 'is a symbolic link to a file outside its folder';
    const about = await stat(real);
    if (!about.isFile()) return 'is not a regular file';
    if (isWorldWritable(about)) return 'is world-writable; remove write permission for others';
    if (about.size > maxFileBytes) return `is larger than ${maxFileBytes} bytes`;
    text = await readFile(real, 'utf8');
  } catch {
    return 'cannot be read';
  }
  // Lazy import: a gateway without manifest files does not load the YAML parser and the schema library.
  const { parseManifestText } = await import('./yaml-file.js');
  const result = parseManifestText(file, text);
  if (!result.ok) return result.problems.join('; ');
  const { manifest } = result;
  if (!manifest.tool) return undefined;
  const name = manifest.name ?? file.slice(0, -manifestSuffix.length);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return `${name} is not a tool name: 1 to 64 letters, digits, _ or -`;
  const parser = findParser(manifest.parser);
  if (parser === 'unknown') return `unknown parser ${manifest.parser}; use one of ${parserNames.join(', ')}`;
  return { name, manifest, origin: path, ...(parser !== undefined && { parser }) };
}

// Write access to a manifest is code execution as the gateway's user.
const isWorldWritable = ({ mode }: { readonly mode: number }): boolean => (mode & worldWritableBit) !== 0;
