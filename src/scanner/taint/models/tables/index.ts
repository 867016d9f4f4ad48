import type { ModelRow } from '../rows.js';
import * as builtinMethods from './builtin-methods.js';
import * as calls from './calls.js';
import * as effects from './effects.js';
import * as methods from './methods.js';
import * as pathsAndUrls from './paths-and-urls.js';
import * as processes from './processes.js';
import * as propagators from './propagators.js';
import { pythonCode } from './python-code.js';
import { pythonFiles } from './python-files.js';
import { pythonRequests } from './python-requests.js';
import * as queries from './queries.js';
import * as sanitizers from './sanitizers.js';
import { scalars } from './scalars.js';
import { scriptCode } from './script-code.js';
import { scriptFiles } from './script-files.js';
import { scriptRequests } from './script-requests.js';
import * as sources from './sources.js';

/** Models that hold in both languages: their names do not collide. */
const shared: readonly ModelRow[] = [
  builtinMethods,
  calls,
  effects,
  methods,
  pathsAndUrls,
  processes,
  propagators,
  queries,
  sanitizers,
  sources,
]
  .flatMap((tables) => Object.values(tables))
  .flat()
  .concat(scalars);

/** All model tables; sinks are separate for each language, because a global such as `compile` is a sink in one only. */
export const modelTables: Readonly<Record<'shared' | 'python' | 'script', readonly ModelRow[]>> = {
  shared,
  python: [...pythonCode, ...pythonFiles, ...pythonRequests],
  script: [...scriptCode, ...scriptFiles, ...scriptRequests],
};
