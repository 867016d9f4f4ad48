import type { CallSite, SinkRow } from './sinks.js';

const rows = (rule: SinkRow['rule'], names: readonly string[], more: Omit<SinkRow, 'rule'> = {}): [string, SinkRow][] =>
  names.map((name) => [name, { rule, args: [0], ...more }]);

const reads = [
  'readFile',
  'readFileSync',
  'readdir',
  'readdirSync',
  'createReadStream',
  'open',
  'openSync',
  'opendir',
  'opendirSync',
  'readJson',
  'readJSON',
  'readJsonSync',
  'readJSONSync',
  'readlink',
  'readlinkSync',
  'watch',
  'readv',
  'glob',
  'globSync',
];
const writes = [
  'writeFile',
  'writeFileSync',
  'appendFile',
  'appendFileSync',
  'createWriteStream',
  'unlink',
  'unlinkSync',
  'rm',
  'rmSync',
  'rmdir',
  'rmdirSync',
  'mkdir',
  'mkdirSync',
  'truncate',
  'truncateSync',
  'chmod',
  'chmodSync',
  'chown',
  'outputFile',
  'outputFileSync',
  'outputJson',
  'writeJson',
  'writeJSON',
  'writeJsonSync',
  'remove',
  'removeSync',
  'emptyDir',
  'ensureDir',
  'ensureDirSync',
  'ensureFile',
  'mkdirp',
  'mkdirs',
  'utimes',
];
const moves = [
  'rename',
  'renameSync',
  'copyFile',
  'copyFileSync',
  'cp',
  'cpSync',
  'copy',
  'copySync',
  'move',
  'moveSync',
  'link',
  'linkSync',
  'symlink',
  'symlinkSync',
];
const files = ['fs', 'fs.promises'];
const under = (modules: readonly string[], names: readonly string[]): string[] =>
  modules.flatMap((module) => names.map((name) => `${module}.${name}`));

const httpMethods = ['get', 'post', 'put', 'delete', 'del', 'head', 'patch', 'options', 'stream'];
const urlArguments = { args: [0], named: ['url', 'uri', 'hostname', 'host'] } as const;

/** HTTP client with a fixed base URL: the argument is a path on that host, so SSRF is ruled out. */
function hasBaseUrl({ receiver }: CallSite): boolean {
  const options = receiver?.value?.kind === 'result' ? receiver.value.args.positional[0] : undefined;
  return (
    options !== undefined &&
    (options.kind !== 'object' ||
      options.open ||
      ['baseURL', 'prefixUrl', 'prefix'].some((key) => options.props.has(key)))
  );
}

function isEvaluated(call: CallSite): boolean {
  const value = call.args[1]?.fields?.get('eval')?.value;
  return value?.kind === 'constant' && value.value === true;
}

const javascriptTable = new Map<string, SinkRow>([
  ...rows('code', [
    'eval',
    'vm.runInThisContext',
    'vm.runInNewContext',
    'vm.runInContext',
    'vm.Script',
    'vm.compileFunction',
    'vm.SourceTextModule',
    'vm2.VM().run',
    'vm2.NodeVM().run',
    'safe-eval',
    'isolated-vm.Isolate().compileScript',
    'setTimeout',
    'setInterval',
    'run-applescript',
    'run-applescript.runAppleScript',
    'run-applescript.runAppleScriptSync',
    'run-applescript.runAppleScriptAsync',
    'applescript.execString',
    'node-osascript.execute',
    'run-jxa.runJxa',
    '@jxa/run.runJXACode',
  ]),
  ...rows('code', ['worker_threads.Worker'], { when: isEvaluated }),
  ...rows('code', ['Function'], { args: [0, 1, 2, 3, 4] }),
  ...rows('path', under(files, reads), { named: ['path', 'root'] }),
  ...rows('path', under(files, writes), { writes: true }),
  ...rows('path', under(files, moves), { args: [0, 1], writes: true }),
  ...rows('path', ['sharp', 'jimp.read', 'jimp.Jimp.read', 'xlsx.readFile', 'exceljs.Workbook().xlsx.readFile']),
  ...rows('path', ['xlsx.writeFile', 'exceljs.Workbook().xlsx.writeFile'], { args: [0, 1], writes: true }),
  ...rows('url', ['rss-parser().parseURL', 'jsdom.JSDOM.fromURL', '@extractus/article-extractor.extract']),
  ...rows('archive', ['tar.x', 'tar.extract'], { args: [], named: ['file'] }),
  ...rows('path', ['Bun.file', 'Deno.readTextFile', 'Deno.readFile', 'Deno.open', 'Deno.readDir']),
  ...rows(
    'path',
    [
      'Bun.write',
      'Deno.writeTextFile',
      'Deno.writeFile',
      'Deno.remove',
      'Deno.mkdir',
      'rimraf',
      'rimraf.sync',
      'del',
      'trash',
    ],
    { writes: true },
  ),
  ...rows(
    'url',
    [
      'fetch',
      'axios',
      'got',
      'ky',
      'request',
      'needle',
      'undici.fetch',
      'undici.request',
      'undici.stream',
      'http.get',
      'http.request',
      'https.get',
      'https.request',
      'superagent',
      'phin',
      'bent',
      'make-fetch-happen',
      'EventSource',
      'WebSocket',
      'ws',
      'ofetch.ofetch',
      'wretch',
    ],
    urlArguments,
  ),
  ...['axios', 'got', 'ky', 'superagent', 'request', 'request-promise', 'axios.Axios()'].flatMap((client) =>
    rows(
      'url',
      httpMethods.map((verb) => `${client}.${verb}`),
      urlArguments,
    ),
  ),
  ...['axios.create()', 'got.extend()', 'ky.create()', 'ky.extend()'].flatMap((client) =>
    rows('url', [client, ...[...httpMethods, 'request'].map((verb) => `${client}.${verb}`)], {
      ...urlArguments,
      when: (call) => !hasBaseUrl(call),
    }),
  ),
  ...rows('url', ['needle.get', 'axios.request', 'needle.request'], { args: [0, 1], named: ['url'] }),
  ...rows('deserialise', [
    'node-serialize.unserialize',
    'serialize-to-js.deserialize',
    'funcster.deepDeserialize',
    'v8.deserialize',
    'cryo.parse',
  ]),
  ...rows('template', [
    'handlebars.compile',
    'Handlebars.compile',
    'handlebars.precompile',
    'ejs.render',
    'ejs.compile',
    'pug.render',
    'pug.compile',
    'jade.render',
    'jade.compile',
    'nunjucks.renderString',
    'nunjucks.Environment().renderString',
    'nunjucks.compile',
    'lodash.template',
    'underscore.template',
    'doT.template',
    'dot.template',
    'eta.renderString',
    'eta.render',
    'swig.render',
    'squirrelly.render',
    'liquidjs.Liquid().parseAndRender',
    'velocityjs.render',
  ]),
  ...rows('module', ['require', 'import', 'jiti', 'createRequire()', 'module.createRequire()']),
  ...rows('query', ['xpath.select', 'xpath.select1', 'xpath.evaluate', 'xpath.useNamespaces()']),
]);

/** Sink row of a JavaScript function. */
export const javascriptSinks = (name: string): SinkRow | undefined => javascriptTable.get(name);
