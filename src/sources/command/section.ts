import type { SectionSource } from '../kind.js';

/** Source of the section `commands`: the built-in pack and the manifests in its folders. */
export const commands: SectionSource<'commands' | 'networks' | 'intrusive' | 'tool' | 'rate'> = {
  id: 'command',
  reads: ['commands', 'networks', 'intrusive', 'tool', 'rate'],
  isUsed: () => true,
  open: async (context) => (await import('./open.js')).openCommands(context),
};
