// The kinds of sources, one line each.
export { commandSource, type CommandRules, type CommandSource, type CommandSourceOptions } from './command/source.js';
