import type { Location } from '../../ir/positions.js';
import { positionAt } from '../../ir/positions.js';
import { walk } from '../../ir/walk.js';
import type { RuleContext } from '../rule.js';

/** A text that a server sends to a model, and its location. */
export interface ModelVisibleText {
  /** The item it belongs to: `tool add`, `parameter path of tool read`. */
  readonly owner: string;
  readonly tool?: string;
  readonly text: string;
  readonly location: Location;
}

const textsByContext = new WeakMap<RuleContext, readonly ModelVisibleText[]>();

/** Every text that reaches a model before any tool is called; cached, because several rules read it. */
export function modelVisibleTexts(context: RuleContext): readonly ModelVisibleText[] {
  const before = textsByContext.get(context);
  if (before) return before;
  const found = collectTexts(context);
  textsByContext.set(context, found);
  return found;
}

function collectTexts(context: RuleContext): readonly ModelVisibleText[] {
  const { surface, project } = context;
  const found: ModelVisibleText[] = [];
  const add = (
    owner: string,
    text: unknown,
    at: { file: string; start_line: number; end_line?: number },
    tool?: string,
  ): void => {
    if (typeof text === 'string' && text !== '')
      found.push({ owner, text, location: locateText(project, text, at), ...(tool === undefined ? {} : { tool }) });
  };
  for (const tool of [...surface.tools, ...surface.optionalTools]) {
    const at = tool.location;
    add(`tool ${tool.name}`, tool.name, at, tool.name);
    add(`tool ${tool.name}`, tool.title, at, tool.name);
    add(`tool ${tool.name}`, tool.description, at, tool.name);
    for (const [name, property] of Object.entries(tool.schema?.properties ?? {})) {
      for (const text of schemaTexts(property, 0)) add(`parameter ${name} of tool ${tool.name}`, text, at, tool.name);
      add(`parameter name of tool ${tool.name}`, name, at, tool.name);
    }
  }
  for (const prompt of surface.prompts) add(`prompt ${prompt.name}`, prompt.description, prompt.location);
  for (const resource of surface.resources) add(`resource ${resource.name}`, resource.description, resource.location);
  for (const text of runtimeDocstrings(context)) add('a description that is set later', text.text, text.at);
  for (const text of serverInstructions(context)) add('instructions of the server', text.text, text.at);
  return found;
}

/** Descriptions, defaults and enum values at any depth of a schema. */
function schemaTexts(schema: unknown, depth: number): string[] {
  if (typeof schema === 'string') return [schema];
  if (depth > 6 || typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'type' || key === 'format' ? [] : schemaTexts(value, depth + 1),
  );
}

/** Docstrings assigned at run time (`fn.__doc__ = …`). */
function runtimeDocstrings(context: RuleContext): { text: string; at: { file: string; start_line: number } }[] {
  const found: { text: string; at: { file: string; start_line: number } }[] = [];
  for (const module of context.project.modules.values()) {
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

/** The `instructions` passed to a server's constructor. */
function serverInstructions(context: RuleContext): { text: string; at: { file: string; start_line: number } }[] {
  const found: { text: string; at: { file: string; start_line: number } }[] = [];
  for (const module of context.project.modules.values()) {
    for (const match of module.text.matchAll(/\binstructions\s*[:=]\s*(?:f|r)?("""|'''|`|"|')([\s\S]{10,6000}?)\1/g))
      found.push({ text: match[2] ?? '', at: { file: module.path, start_line: positionAt(module, match.index).line } });
  }
  return found;
}

/** Finds a text in its module by its first sufficiently long line; falls back to the line of the registration. */
function locateText(
  project: RuleContext['project'],
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

/** The location of an offset inside a model-visible text. */
export function locateInText(context: RuleContext, shown: ModelVisibleText, start: number): Location {
  const module = context.project.modules.get(shown.location.file);
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
