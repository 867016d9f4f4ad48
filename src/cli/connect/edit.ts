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

/** A file before and after a change. */
interface Change {
  readonly file: string;
  /** Undefined if the file does not exist yet. */
  readonly before: string | undefined;
  readonly after: string;
}

type ChangePlan = Change | { readonly problem: string };

const isConfigObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseConfig(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isConfigObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const readIfExists = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const render = (value: JsonObject): string => `${JSON.stringify(value, null, 2)}\n`;
export const backupOf = (file: string): string => `${file}.before-toolgate`;

/** Plans adding an entry; everything else in the file stays unchanged. */
export function planChange(file: string, member: string, name: string, entry: JsonObject): ChangePlan {
  const before = readIfExists(file);
  const value = parseConfig(before);
  if (!value) return { problem: `${file} is not plain JSON (it may have comments), so it was not changed` };
  const servers = value[member] ?? {};
  if (!isConfigObject(servers))
    return { problem: `${member} in ${file} is not an object, so the file was not changed` };
  return { file, before, after: render({ ...value, [member]: { ...servers, [name]: entry } }) };
}

/** Writes a change atomically; keeps the original file, from before the first change, as a backup. */
export function applyChange({ file, before, after }: Change): void {
  mkdirSync(dirname(file), { recursive: true });
  // Replaces the target of a symbolic link, not the link: dotfiles are often linked.
  const real = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600;
  if (!existsSync(backupOf(real))) writeFileSync(backupOf(real), before ?? '', { mode: 0o600 });
  const draft = `${real}.toolgate-${process.pid}`;
  writeFileSync(draft, after, { mode });
  renameSync(draft, real);
}

/** Removes the entry: restores the backup if nothing else changed since, else removes only the entry. */
export function undoChange(
  file: string,
  member: string,
  name: string,
): 'nothing' | 'restored' | 'removed' | { readonly problem: string } {
  if (!existsSync(file)) return 'nothing';
  const real = realpathSync(file);
  const current = parseConfig(readIfExists(real));
  if (!current) return { problem: `${file} is not plain JSON (it may have comments), so it was not changed` };
  const servers = current[member];
  if (!isConfigObject(servers) || !Object.hasOwn(servers, name)) return 'nothing';
  const backup = readIfExists(backupOf(real));
  const original = parseConfig(backup);
  const earlier = original && isConfigObject(original[member]) ? original[member][name] : undefined;
  const { [name]: ours, ...others } = servers;
  const without = { ...current, [member]: { ...others, ...(earlier !== undefined && { [name]: earlier }) } };
  if (original && ours !== undefined && isSameExceptEntry(current, original, member, name)) {
    if (backup === '') rmSync(real);
    else writeFileSync(real, backup ?? '');
    rmSync(backupOf(real));
    return 'restored';
  }
  writeFileSync(real, render(without));
  rmSync(backupOf(real), { force: true });
  return 'removed';
}

/** Whether two configurations differ in at most one entry. */
function isSameExceptEntry(current: JsonObject, original: JsonObject, member: string, name: string): boolean {
  const strip = (value: JsonObject): string => {
    const servers = value[member];
    const { [name]: _, ...others } = isConfigObject(servers) ? servers : {};
    return JSON.stringify({ ...value, [member]: others });
  };
  return (
    strip({ [member]: {}, ...current }) === strip({ [member]: {}, ...original }) || strip(current) === strip(original)
  );
}
