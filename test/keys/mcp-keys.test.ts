import { prove } from './prove.js';
import { mcpSourceRows } from './rows/index.js';

await prove(mcpSourceRows);
