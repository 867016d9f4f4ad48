import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Withheld } from '../../core/source.js';
import type { CommandDefinition } from './definition.js';
import { parserNamed } from './parsers.js';

/** What a folder holds: commands, and the files that were left out with the reason. */
export interface Discovered {
  readonly definitions: readonly CommandDefinition[];
  readonly withheld: readonly Withheld[];
}

const ending = '.tool.yaml';
const notTools = /^(?:Test|Mock|Abstract|_|Example)|(?:Base|Mixin|Interface)$|^MCPBaseTool$/;
const maxFileBytes = 262_144;
const maxFiles = 500;
const worldWritable = 0o002;

/** Whether a file of this name declares a tool, by the naming rules. */
export const declaresTool = (file: string): boolean =>
  file.endsWith(ending) && !notTools.test(file.slice(0, -ending.length));

/** Reads every `{command}.tool.yaml` of a folder; a broken one is named and left out, the rest load. */
export async function discover(folder: string): Promise<Discovered> {
  const definitions: CommandDefinition[] = [];
  const withheld: Withheld[] = [];
  let names: readonly string[];
  try {
    if (isOpenToAll(await stat(folder)))
      return { definitions, withheld: [{ what: folder, why: 'the folder of manifests can be written by every user' }] };
    names = (await readdir(folder)).filter(declaresTool).sort();
  } catch {
    return { definitions, withheld: [{ what: folder, why: 'the folder of manifests cannot be read' }] };
  }
  if (names.length > maxFiles)
    withheld.push({ what: folder, why: `holds more than ${maxFiles} manifests; the rest is left out` });
  for (const file of names.slice(0, maxFiles)) {
    const found = await readOne(folder, file);
    if (typeof found === 'string') withheld.push({ what: file, why: found });
    else if (found !== undefined) definitions.push(found);
  }
  return { definitions, withheld };
}

async function readOne(folder: string, file: string): Promise<CommandDefinition | string | undefined> {
  const path = join(folder, file);
  let text: string;
  try {
    // Links are how some systems mount configuration; one that leads out of the folder is somebody's trick.
    const real = await realpath(path);
    if (!real.startsWith((await realpath(folder)) + sep)) return 'leads out of its folder';
    const about = await stat(real);
    if (!about.isFile()) return 'is not a regular file';
    if (isOpenToAll(about)) return 'can be written by every user';
    if (about.size > maxFileBytes) return `is larger than ${maxFileBytes} bytes`;
    text = await readFile(real, 'utf8');
  } catch {
    return 'cannot be read';
  }
  // Parser and schema are loaded by the first manifest: a gateway without any does not wait for them.
  const { readManifestText } = await import('./manifest-file.js');
  const reading = readManifestText(file, text);
  if (!reading.ok) return reading.problems.join('; ');
  const { manifest } = reading;
  if (!manifest.tool) return undefined;
  const name = manifest.name ?? file.slice(0, -ending.length);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return `${name} is not a tool name: 1 to 64 letters, digits, _ or -`;
  const parser = parserNamed(manifest.parser);
  if (parser === 'unknown') return `parser ${manifest.parser} is not known`;
  return { name, manifest, origin: path, ...(parser !== undefined && { parser }) };
}

// Whoever may write a manifest decides what the gateway runs.
const isOpenToAll = ({ mode }: { readonly mode: number }): boolean => (mode & worldWritable) !== 0;
