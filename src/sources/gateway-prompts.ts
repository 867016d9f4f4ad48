import type { Prompt } from '../core/prompt.js';
import { done, refuse } from '../core/outcome.js';
import type { ToolSource } from '../core/source.js';

/** A prompt as an operator writes it; `{{name}}` in a text stands for an argument. */
export interface PromptDeclaration {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly arguments: readonly {
    readonly name: string;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
    readonly required: boolean;
  }[];
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
}

/** The gateway's own prompts, as a source without tools. */
export function gatewayPrompts(declared: readonly PromptDeclaration[]): ToolSource {
  const prompts = declared.map(toPrompt);
  return { id: 'prompts', list: () => Promise.resolve([]), prompts: () => Promise.resolve(prompts) };
}

function toPrompt({ name, title, description, arguments: args, messages }: PromptDeclaration): Prompt {
  return {
    name,
    source: 'prompts',
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: args.map((each) => ({
      name: each.name,
      required: each.required,
      ...(each.title !== undefined && { title: each.title }),
      ...(each.description !== undefined && { description: each.description }),
    })),
    get(call) {
      const missing = args
        .filter((each) => each.required && typeof call.args[each.name] !== 'string')
        .map((each) => each.name);
      if (missing.length > 0)
        return Promise.resolve(refuse('invalid_arguments', `The prompt ${name} needs ${missing.join(', ')}`));
      // One pass over the template: an argument that itself holds {{…}} is text, not a second template.
      const filled = messages.map(({ role, text }) => ({
        role,
        content: {
          type: 'text',
          text: text.replaceAll(/\{\{\s*([^{}]*?)\s*\}\}/g, (_whole, key: string) => String(call.args[key] ?? '')),
        },
      }));
      return Promise.resolve(done([], { ...(description !== undefined && { description }), messages: filled }));
    },
  };
}
