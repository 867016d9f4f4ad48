import { walk } from './row.js';
import { functions } from './s2/functions.js';
import { guards } from './s2/guards.js';

walk('S2', 'Functions over HTTP, and tools that cannot be trusted', [...functions, ...guards]);
