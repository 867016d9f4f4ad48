import { walk } from './row.js';
import { calls } from './s1/calls.js';
import { definitions } from './s1/definitions.js';

walk('S1', 'OpenAPI documents as tools', [...definitions, ...calls]);
