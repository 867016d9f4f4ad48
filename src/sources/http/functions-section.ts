import type { SectionSource } from '../kind.js';

/** Source of the section `mcp_tools`. */
export const functions: SectionSource<'functions' | 'outbound' | 'tool'> = {
  id: 'mcp_tools',
  reads: ['functions', 'outbound', 'tool'],
  isUsed: (settings) => Object.keys(settings.functions).length > 0,
  open: async (context) => (await import('./open.js')).openFunctions(context),
};
