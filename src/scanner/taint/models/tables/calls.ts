import type { ModelRow } from '../rows.js';

/** Functions that call their first argument with the remaining ones: thread pools, timers, partial. */
export const forwarders: readonly ModelRow[] = [
  ['asyncio', 'to_thread', '1', '', 'forwards-arguments'],
  ['anyio', 'to_thread.run_sync', '1', '', 'forwards-arguments'],
  ['functools', 'partial', '1', '', 'forwards-arguments'],
  ['asyncio', 'run', '1', '', 'forwards-arguments'],
  ['asyncio', 'create_task', '1', '', 'forwards-arguments'],
  ['threading', 'Thread', '1', '', 'forwards-arguments'],
  ['multiprocessing', 'Process', '1', '', 'forwards-arguments'],
  ['threading', 'Timer', 'args 2', '', 'forwards-arguments'],
  ['atexit', 'register', '1', '', 'forwards-arguments'],
  ['', 'setTimeout', '2', '', 'forwards-arguments'],
  ['', 'setInterval', '2', '', 'forwards-arguments'],
  ['', 'setImmediate', '1', '', 'forwards-arguments'],
  ['process', 'nextTick', '1', '', 'forwards-arguments'],
  ['', 'queueMicrotask', '1', '', 'forwards-arguments'],
  ['**', 'run_in_executor', '1', '', 'forwards-arguments'],
  ['**', 'submit', '1', '', 'forwards-arguments'],
  ['**', 'apply_async', '1', '', 'forwards-arguments'],
  ['**', 'run_sync', '1', '', 'forwards-arguments'],
  ['**', 'run_in_threadpool', '1', '', 'forwards-arguments'],
  ['**', 'call_soon', '1', '', 'forwards-arguments'],
  ['**', 'call_soon_threadsafe', '1', '', 'forwards-arguments'],
  ['**', 'call_later', '1', '', 'forwards-arguments'],
];

/** Functions that call their first argument for each item of the second. */
export const itemVisitors: readonly ModelRow[] = [
  ['', 'map', '', 'items', 'calls-per-item'],
  ['', 'filter', '', 'items', 'calls-per-item'],
  ['functools', 'reduce', '', 'items', 'calls-per-item'],
  ['itertools', 'starmap', '', 'items', 'calls-per-item'],
];

/** Functions that make an empty collection. */
export const emptyCollections: readonly ModelRow[] = [
  ['', 'Map', '', 'collection', 'makes-collection'],
  ['', 'Set', '', 'collection', 'makes-collection'],
  ['', 'WeakMap', '', 'collection', 'makes-collection'],
  ['collections', 'deque', '', 'collection', 'makes-collection'],
  ['collections', 'OrderedDict', '', 'collection', 'makes-collection'],
  ['queue', '*Queue', '', 'collection', 'makes-collection'],
  ['asyncio', '*Queue', '', 'collection', 'makes-collection'],
  ['multiprocessing', '*Queue', '', 'collection', 'makes-collection'],
];

/** Functions that open a file. */
export const fileOpeners: readonly ModelRow[] = [
  ['', 'open', '0', 'file', 'opens-file'],
  ['io', 'open', '0', 'file', 'opens-file'],
  ['aiofiles', 'open', '0', 'file', 'opens-file'],
  ['codecs', 'open', '0', 'file', 'opens-file'],
];

/** Functions that load a module by its name. */
export const moduleLoaders: readonly ModelRow[] = [
  ['', 'require', '0', 'require', 'loads-module'],
  ['process', 'mainModule.require', '0', 'require', 'loads-module'],
  ['module', 'require', '0', 'require', 'loads-module'],
  ['module', 'createRequire()', '0', 'require', 'loads-module'],
  ['', 'import', '0', 'import', 'loads-module'],
  ['', '__import__', '0', 'import', 'loads-module'],
  ['importlib', 'import_module', '0', 'import', 'loads-module'],
  ['importlib', '__import__', '0', 'import', 'loads-module'],
];

/** Containers of services: what they return is project code. */
export const containers: readonly ModelRow[] = [
  ['tsyringe', '', '', 'project', 'container'],
  ['inversify', '', '', 'project', 'container'],
  ['awilix', '', '', 'project', 'container'],
  ['typedi', '', '', 'project', 'container'],
  ['@nestjs/core', '', '', 'project', 'container'],
  ['bottlejs', '', '', 'project', 'container'],
  ['injection-js', '', '', 'project', 'container'],
  ['dependency_injector', '', '', 'project', 'container'],
  ['injector', '', '', 'project', 'container'],
  ['punq', '', '', 'project', 'container'],
  ['lagom', '', '', 'project', 'container'],
];

/** Packages and members that are other names of a modelled one, which is in the fourth column. */
export const aliases: readonly ModelRow[] = [
  ['fs/promises', '', '', 'fs.promises', 'alias'],
  ['dns/promises', '', '', 'dns.promises', 'alias'],
  ['fs-extra', '', '', 'fs', 'alias'],
  ['graceful-fs', '', '', 'fs', 'alias'],
  ['memfs', '', '', 'fs', 'alias'],
  ['path/posix', '', '', 'path', 'alias'],
  ['path/win32', '', '', 'path', 'alias'],
  ['cross-spawn', '', '', 'child_process.spawn', 'alias'],
  ['node-fetch', '', '', 'fetch', 'alias'],
  ['cross-fetch', '', '', 'fetch', 'alias'],
  ['isomorphic-fetch', '', '', 'fetch', 'alias'],
  ['posixpath', '', '', 'os.path', 'alias'],
  ['ntpath', '', '', 'os.path', 'alias'],
  ['builtins', '', '', '', 'alias'],
  ['io', 'open', '', 'open', 'alias'],
];
