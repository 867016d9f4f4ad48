import { prove } from './prove.js';
import { httpSourceRows } from './rows/index.js';

await prove(httpSourceRows);
