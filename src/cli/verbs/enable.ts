import type { Io } from '../io.js';
import { switchHelp, switchTool } from '../switch-tool.js';

export const help = switchHelp('enable');

/** Enables a tool at the running gate. */
export const run = (argv: readonly string[], io: Io): Promise<number> => switchTool('enable', argv, io);
