import { walk } from './row.js';
import { extraction } from './s4/surface.js';
import { recognition } from './s4/rules.js';

walk('S4', 'Static analysis of the tool surface', [...extraction, ...recognition]);
