import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { JsonObject } from '../../core/json.js';

/** A file as it is and as it would be. */
export interface Change {
  readonly file: string;
  /** Undefined where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
}

export type Planned = Change | { readonly problem: string };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const read = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const render = (value: JsonObject): string => `${JSON.stringify(value, null, 2)}\n`;
export const backupOf = (file: string): string => `${file}.before-toolgate`;

/** What a file would be with this entry; everything else in it stays as it is. */
export function planned(file: string, member: string, name: string, entry: JsonObject): Planned {
  const before = read(file);
  const value = parsed(before);
  if (!value) return { problem: `${file} is not plain JSON (comments?), so it is left alone` };
  const servers = value[member] ?? {};
  if (!isObject(servers)) return { problem: `${member} in ${file} is not an object, so the file is left alone` };
  return { file, before, after: render({ ...value, [member]: { ...servers, [name]: entry } }) };
}

/** Writes a change whole or not at all; the file as it was is kept beside it, from before our first change. */
export function written({ file, before, after }: Change): void {
  mkdirSync(dirname(file), { recursive: true });
  // A link is followed, so that the file it names is replaced and not the link.
  const real = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600;
  if (!existsSync(backupOf(real))) writeFileSync(backupOf(real), before ?? '', { mode: 0o600 });
  const draft = `${real}.toolgate-${process.pid}`;
  writeFileSync(draft, after, { mode });
  renameSync(draft, real);
}

/** Takes our entry out again: the old file where nothing else changed since, else only the entry. */
export function undone(
  file: string,
  member: string,
  name: string,
): 'nothing' | 'restored' | 'removed' | { readonly problem: string } {
  if (!existsSync(file)) return 'nothing';
  const real = realpathSync(file);
  const now = parsed(read(real));
  if (!now) return { problem: `${file} is not plain JSON, so it is left alone` };
  const servers = now[member];
  if (!isObject(servers) || !Object.hasOwn(servers, name)) return 'nothing';
  const old = read(backupOf(real));
  const was = parsed(old);
  const earlier = was && isObject(was[member]) ? was[member][name] : undefined;
  const { [name]: ours, ...others } = servers;
  const without = { ...now, [member]: { ...others, ...(earlier !== undefined && { [name]: earlier }) } };
  if (was && ours !== undefined && sameBut(now, was, member, name)) {
    if (old === '') rmSync(real);
    else writeFileSync(real, old ?? '');
    rmSync(backupOf(real));
    return 'restored';
  }
  writeFileSync(real, render(without));
  rmSync(backupOf(real), { force: true });
  return 'removed';
}

/** Whether two files agree in everything but one entry. */
function sameBut(now: JsonObject, was: JsonObject, member: string, name: string): boolean {
  const strip = (value: JsonObject): string => {
    const servers = value[member];
    const { [name]: _, ...others } = isObject(servers) ? servers : {};
    return JSON.stringify({ ...value, [member]: others });
  };
  return strip({ [member]: {}, ...now }) === strip({ [member]: {}, ...was }) || strip(now) === strip(was);
}
