import type { Location } from '../ir/positions.js';
import { positionAt } from '../ir/positions.js';
import { walk } from '../ir/walk.js';
import type { Scanned } from './rule.js';

/** A text that a server shows to a model, and where it stands. */
export interface Shown {
  /** What carries it: `tool add`, `parameter path of tool read`. */
  readonly owner: string;
  readonly tool?: string;
  readonly text: string;
  readonly location: Location;
}

const known = new WeakMap<Scanned, readonly Shown[]>();

/** Every text of a server that reaches a model before any tool is called; looked for once, since several rules ask. */
export function shownTexts(scanned: Scanned): readonly Shown[] {
  const before = known.get(scanned);
  if (before) return before;
  const found = textsOf(scanned);
  known.set(scanned, found);
  return found;
}

function textsOf(scanned: Scanned): readonly Shown[] {
  const { surface, project } = scanned;
  const found: Shown[] = [];
  const add = (
    owner: string,
    text: unknown,
    at: { file: string; start_line: number; end_line?: number },
    tool?: string,
  ): void => {
    if (typeof text === 'string' && text !== '')
      found.push({ owner, text, location: placeOf(project, text, at), ...(tool === undefined ? {} : { tool }) });
  };
  for (const tool of [...surface.tools, ...surface.optionalTools]) {
    const at = tool.location;
    add(`tool ${tool.name}`, tool.name, at, tool.name);
    add(`tool ${tool.name}`, tool.title, at, tool.name);
    add(`tool ${tool.name}`, tool.description, at, tool.name);
    for (const [name, property] of Object.entries(tool.schema?.properties ?? {})) {
      for (const text of textsIn(property, 0)) add(`parameter ${name} of tool ${tool.name}`, text, at, tool.name);
      add(`parameter name of tool ${tool.name}`, name, at, tool.name);
    }
  }
  for (const prompt of surface.prompts) add(`prompt ${prompt.name}`, prompt.description, prompt.location);
  for (const resource of surface.resources) add(`resource ${resource.name}`, resource.description, resource.location);
  for (const text of laterTexts(scanned)) add('a description that is set later', text.text, text.at);
  for (const text of instructionsIn(scanned)) add('instructions of the server', text.text, text.at);
  return found;
}

/** Descriptions, defaults and enumerations at any depth of a schema. */
function textsIn(schema: unknown, depth: number): string[] {
  if (typeof schema === 'string') return [schema];
  if (depth > 6 || typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'type' || key === 'format' ? [] : textsIn(value, depth + 1),
  );
}

/** Docstrings that code assigns while it runs. */
function laterTexts(scanned: Scanned): { text: string; at: { file: string; start_line: number } }[] {
  const found: { text: string; at: { file: string; start_line: number } }[] = [];
  for (const module of scanned.project.modules.values()) {
    if (module.language !== 'python' || !module.text.includes('.__doc__')) continue;
    walk(module.body, {
      stmt: (stmt) => {
        if (
          stmt.kind === 'assign' &&
          stmt.target.kind === 'member' &&
          stmt.target.property === '__doc__' &&
          stmt.value?.kind === 'literal' &&
          typeof stmt.value.value === 'string'
        )
          found.push({
            text: stmt.value.value,
            at: { file: module.path, start_line: positionAt(module, stmt.start).line },
          });
      },
    });
  }
  return found;
}

/** `instructions` given to a server when it is made. */
function instructionsIn(scanned: Scanned): { text: string; at: { file: string; start_line: number } }[] {
  const found: { text: string; at: { file: string; start_line: number } }[] = [];
  for (const module of scanned.project.modules.values()) {
    for (const match of module.text.matchAll(/\binstructions\s*[:=]\s*(?:f|r)?("""|'''|`|"|')([\s\S]{10,6000}?)\1/g))
      found.push({ text: match[2] ?? '', at: { file: module.path, start_line: positionAt(module, match.index).line } });
  }
  return found;
}

/** The line on which a text stands, as near as the source tells: the first long enough line of it that is found again. */
function placeOf(
  project: Scanned['project'],
  text: string,
  at: { file: string; start_line: number; end_line?: number },
): Location {
  const module = project.modules.get(at.file);
  const line = {
    file: at.file,
    startLine: at.start_line,
    startColumn: 1,
    endLine: at.end_line ?? at.start_line,
    endColumn: 1,
  };
  if (!module) return line;
  const from = module.lineStarts[at.start_line - 1] ?? 0;
  const piece =
    text
      .split('\n')
      .map((each) => each.trim())
      .find((each) => each.length > 8) ?? text.trim();
  const found = module.text.indexOf(piece.slice(0, 60), from);
  if (found === -1 || piece.length < 4) return line;
  const { line: startLine, column } = positionAt(module, found);
  return {
    file: at.file,
    startLine,
    startColumn: column,
    endLine: startLine,
    endColumn: column + Math.min(piece.length, 60),
  };
}

/** Where inside a shown text an offset stands. */
export function placeInside(scanned: Scanned, shown: Shown, start: number): Location {
  const module = scanned.project.modules.get(shown.location.file);
  if (!module) return shown.location;
  const piece = shown.text.slice(start).split('\n')[0]?.trim().slice(0, 40) ?? '';
  const from = module.lineStarts[Math.max(0, shown.location.startLine - 1)] ?? 0;
  const found = piece.length < 4 ? -1 : module.text.indexOf(piece, from);
  if (found === -1) return shown.location;
  const { line, column } = positionAt(module, found);
  return {
    file: shown.location.file,
    startLine: line,
    startColumn: column,
    endLine: line,
    endColumn: column + piece.length,
  };
}
