import type { Io } from '../io.js';
import { switchHelp, switchTool } from '../switch-tool.js';

export const help = switchHelp('disable');

/** Disables a tool at the running gate. */
export const run = (argv: readonly string[], io: Io): Promise<number> => switchTool('disable', argv, io);
