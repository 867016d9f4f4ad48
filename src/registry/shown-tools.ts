import type { Tool } from '../core/tool.js';

/** What the operator shows of a tool instead of what its source lists. */
export interface ShownAs {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
}

/** Names and texts of the operator, by the names that the sources list. */
export interface ShownTools {
  /** The tool as clients see it; the same object for the same tool. */
  show(tool: Tool): Tool;
  /** Listed names of the tools to which the operator gave a name; only they may have it. */
  ownersOf(name: string): readonly string[];
}

export function shownTools(settings: Readonly<Record<string, ShownAs>>): ShownTools {
  const owners = new Map<string, string[]>();
  for (const [listed, { name }] of Object.entries(settings))
    if (name !== undefined && name !== listed) owners.set(name, [...(owners.get(name) ?? []), listed]);
  const made = new WeakMap<Tool, Tool>();
  return {
    ownersOf: (name) => owners.get(name) ?? [],
    show(tool) {
      const as = Object.hasOwn(settings, tool.name) ? settings[tool.name] : undefined;
      if (as === undefined || !changes(as, tool)) return tool;
      let shown = made.get(tool);
      if (shown === undefined) made.set(tool, (shown = toShown(tool, as)));
      return shown;
    },
  };
}

/** Whether there is something to show; a tool that only another one offers keeps the name and texts that one shows. */
const changes = ({ name, title, description }: ShownAs, tool: Tool): boolean =>
  tool.unlisted !== true &&
  ((name !== undefined && name !== tool.name) || title !== undefined || description !== undefined);

function toShown(tool: Tool, { name, title, description }: ShownAs): Tool {
  const { annotations } = tool;
  const texts = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
    // Old clients read the title here, where that of the server would remain.
    ...(title !== undefined && annotations?.['title'] !== undefined && { annotations: { ...annotations, title } }),
    // Approvals are bound to it as well: a text of the operator must not hide that the server changed its own (rug pull).
    listed: {
      name: tool.name,
      description: tool.description,
      ...(tool.title !== undefined && { title: tool.title }),
    },
  };
  // Copies descriptors, so that lazy getters are not evaluated.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(tool),
      ...Object.getOwnPropertyDescriptors(texts),
    },
  ) as Tool; // the fields of the tool, some of them replaced
}
