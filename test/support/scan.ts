import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scanSurface, type SurfaceOptions, type SurfaceReport } from '../../src/scanner/index.js';
import { temporaryFolder } from './temporary.js';

/** A folder with these files, for the scanner to read. */
export async function aProject(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const root = temporaryFolder('scan');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

/** The surface of a project with these files. */
export const surfaceOfFiles = async (
  files: Readonly<Record<string, string>>,
  options: SurfaceOptions = { heuristics: false },
): Promise<SurfaceReport> => scanSurface(await aProject(files), options);

/** The names of a project's tools, sorted. */
export const toolsOf = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  (await surfaceOfFiles(files)).tools.map((tool) => tool.name).sort();
