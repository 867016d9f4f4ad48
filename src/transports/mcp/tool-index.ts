import type { Gateway, View } from '../../core/gateway.js';
import type { Tool } from '../../core/tool.js';
import { paramHeaders } from '../../wire/param-headers.js';
import type { ParamHeader } from '../../wire/param-headers.js';

/** Tools by name and the headers their schemas request; cached per list. */
export interface ToolIndex {
  find(view: View, name: string): Tool | undefined;
  /** Undefined if the tool requests no headers, which is the common case. */
  headersOf(tool: Tool): readonly ParamHeader[] | undefined;
}

/** Caches by the list object, which the gateway replaces on every change. */
export function toolIndex(gateway: Gateway): ToolIndex {
  // Weak keys: an index lives as long as its list.
  const namesByList = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool>>();
  const headers = new WeakMap<Tool, readonly ParamHeader[]>();
  return {
    find(view, name) {
      const list = gateway.tools(view);
      let names = namesByList.get(list);
      if (!names) namesByList.set(list, (names = new Map(list.map((tool) => [tool.name, tool]))));
      return names.get(name);
    },
    headersOf(tool) {
      let declared = headers.get(tool);
      // The empty list is stored, too, so that a schema is searched once.
      if (!declared) headers.set(tool, (declared = paramHeaders(tool.input.schema) ?? []));
      return declared.length > 0 ? declared : undefined;
    },
  };
}
