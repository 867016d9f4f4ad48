import type { Prompt } from '../core/prompt.js';
import { done, refuse } from '../core/outcome.js';
import type { ToolSource } from '../core/source.js';
import type { SectionSource } from './kind.js';

/** A prompt from the configuration; `{{name}}` in a text is replaced by an argument. */
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

/** Source of the prompts in the configuration; has no tools. */
function gatewayPrompts(declared: readonly PromptDeclaration[]): ToolSource {
  const prompts = declared.map(toPrompt);
  // Prompts of the configuration never change without a reload, so there is nothing to watch.
  return { id: 'prompts', list: () => Promise.resolve([]), prompts: () => Promise.resolve(prompts) };
}

function toPrompt({ name, title, description, arguments: args, messages }: PromptDeclaration): Prompt {
  return {
    name,
    source: 'prompts',
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: args.map((argument) => ({
      name: argument.name,
      required: argument.required,
      ...(argument.title !== undefined && { title: argument.title }),
      ...(argument.description !== undefined && { description: argument.description }),
    })),
    // Checked here and not by a schema, because prompt arguments are optional texts by protocol.
    get(call) {
      const missing = args
        .filter((argument) => argument.required && typeof call.args[argument.name] !== 'string')
        .map((argument) => argument.name);
      if (missing.length > 0)
        return Promise.resolve(refuse('invalid_arguments', `The prompt ${name} needs ${missing.join(', ')}`));
      // One pass over the template: {{…}} inside an argument stays text (template injection).
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

/** Source of the section `prompts`. */
export const prompts: SectionSource<'prompts'> = {
  id: 'prompts',
  reads: ['prompts'],
  isUsed: (settings) => settings.prompts.length > 0,
  open: (context) => Promise.resolve(gatewayPrompts(context.settings.prompts)),
};
