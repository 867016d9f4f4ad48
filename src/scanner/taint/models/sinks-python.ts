import type { CallSite, SinkRow } from './sinks.js';

const rows = (rule: SinkRow['rule'], names: readonly string[], more: Omit<SinkRow, 'rule'> = {}): [string, SinkRow][] =>
  names.map((name) => [name, { rule, args: [0], ...more }]);
const under = (module: string, ...names: string[]): string[] => names.map((name) => `${module}.${name}`);

const httpMethods = ['get', 'post', 'put', 'delete', 'head', 'patch', 'options', 'stream'];
const clients = [
  'httpx.AsyncClient()',
  'httpx.Client()',
  'requests.Session()',
  'requests.session()',
  'aiohttp.ClientSession()',
  'cloudscraper.create_scraper()',
  'curl_cffi.requests.AsyncSession()',
  'niquests.Session()',
];
const urlArguments = { args: [0], named: ['url'] } as const;

const isUnsafeYaml = (call: CallSite): boolean =>
  !/(?:^|\.)C?(?:Safe|Base)Loader$/.test(call.named.get('Loader')?.name ?? call.args[1]?.name ?? '');
const hasBaseUrl = (call: CallSite): boolean => call.receiver?.fields?.has('base_url') === true;

const pythonTable = new Map<string, SinkRow>([
  ...rows('code', [
    'eval',
    'exec',
    'compile',
    'runpy.run_path',
    'runpy.run_module',
    'pandas.eval',
    'numexpr.evaluate',
    'timeit.timeit',
    'sympy.sympify',
    'sympy.parse_expr',
    'sympy.parsing.sympy_parser.parse_expr',
    'code.InteractiveInterpreter().runsource',
    'IPython.get_ipython().run_cell',
    'execjs.eval',
    'pandas.DataFrame().eval',
    'pandas.DataFrame().query',
    'redis.Redis().eval',
    'redis.asyncio.Redis().eval',
  ]),
  ...rows(
    'path',
    [
      'open',
      'io.open',
      'codecs.open',
      'aiofiles.open',
      'os.open',
      'os.listdir',
      'os.scandir',
      'os.walk',
      'os.readlink',
      'PIL.Image.open',
      'Image.open',
      'linecache.getline',
      'linecache.getlines',
      'numpy.load',
      'numpy.loadtxt',
      'numpy.genfromtxt',
      'sqlite3.connect',
      'fileinput.input',
      'zipfile.ZipFile',
      'tarfile.open',
      'starlette.responses.FileResponse',
      'fastapi.responses.FileResponse',
      'flask.send_file',
      'docx.Document',
      'openpyxl.load_workbook',
      'PyPDF2.PdfReader',
      'pypdf.PdfReader',
      'fitz.open',
      'pymupdf.open',
      'glob.glob',
      'glob.iglob',
      'cv2.imread',
      'pdfplumber.open',
      'pptx.Presentation',
    ],
    { named: ['file', 'path', 'name', 'fp', 'filename'] },
  ),
  // Unlike `git add`, GitPython stages paths outside the repository too.
  ...rows('path', ['git.Repo().index.add'], { named: ['items'] }),
  ...rows(
    'path',
    ['pandas.read_csv', 'pandas.read_excel', 'pandas.read_json', 'pandas.read_parquet', 'polars.read_csv'],
    { named: ['filepath_or_buffer', 'io', 'path'] },
  ),
  ...rows(
    'path',
    [
      'os.remove',
      'os.unlink',
      'os.rmdir',
      'os.removedirs',
      'os.mkdir',
      'os.makedirs',
      'os.chmod',
      'os.chown',
      'os.truncate',
      'shutil.rmtree',
      'send2trash.send2trash',
      'send2trash',
      'aiofiles.os.remove',
      'os.utime',
      'docx.Document().save',
      'openpyxl.Workbook().save',
      'openpyxl.load_workbook().save',
      'pptx.Presentation().save',
      'PIL.Image.open().save',
      'PIL.Image.new().save',
      'pandas.DataFrame().to_csv',
      'pandas.DataFrame().to_excel',
      'pandas.DataFrame().to_json',
      'pandas.DataFrame().to_parquet',
      'numpy.save',
      'numpy.savetxt',
      'matplotlib.pyplot.savefig',
      'cv2.imwrite',
    ],
    { writes: true, named: ['path', 'name'] },
  ),
  ...rows(
    'path',
    [
      'os.rename',
      'os.replace',
      'os.link',
      'os.symlink',
      'os.renames',
      'shutil.copy',
      'shutil.copy2',
      'shutil.copyfile',
      'shutil.copytree',
      'shutil.move',
    ],
    { args: [0, 1], writes: true, named: ['src', 'dst'] },
  ),
  ...rows('url', under('requests', ...httpMethods), urlArguments),
  ...rows('url', under('httpx', ...httpMethods), urlArguments),
  ...rows('url', under('curl_cffi.requests', ...httpMethods), urlArguments),
  ...rows('url', ['requests.request', 'httpx.request', 'httpx.stream', 'urllib3.request'], {
    args: [1],
    named: ['url'],
  }),
  ...clients.flatMap((client) =>
    rows('url', under(client, ...httpMethods.filter((verb) => verb !== 'stream')), {
      ...urlArguments,
      when: (call) => !hasBaseUrl(call),
    }),
  ),
  ...clients.flatMap((client) =>
    rows('url', under(client, 'request', 'stream', 'ws_connect'), {
      args: [1],
      named: ['url'],
      when: (call) => !hasBaseUrl(call),
    }),
  ),
  ...rows(
    'url',
    [
      'urllib.request.urlopen',
      'urllib.request.urlretrieve',
      'urllib2.urlopen',
      'wget.download',
      'feedparser.parse',
      'websockets.connect',
      'aiohttp.request',
      'trafilatura.fetch_url',
      'newspaper.Article',
      'pandas.read_html',
      'lxml.html.parse',
      'http.client.HTTPConnection',
      'http.client.HTTPSConnection',
      'urllib.request.build_opener().open',
    ],
    urlArguments,
  ),
  ...rows('url', ['urllib3.PoolManager().request', 'urllib3.PoolManager().urlopen'], { args: [1], named: ['url'] }),
  ...rows('deserialise', [
    'pickle.loads',
    'pickle.load',
    'cPickle.loads',
    '_pickle.loads',
    'pickle.Unpickler',
    'dill.loads',
    'dill.load',
    'cloudpickle.loads',
    'marshal.loads',
    'jsonpickle.decode',
    'yaml.unsafe_load',
    'yaml.full_load',
    'shelve.open',
    'joblib.load',
    'torch.load',
    'pandas.read_pickle',
  ]),
  ...rows('deserialise', ['yaml.load', 'yaml.load_all'], { when: isUnsafeYaml }),
  ...rows(
    'template',
    [
      'jinja2.Template',
      'jinja2.Environment().from_string',
      'flask.render_template_string',
      'mako.template.Template',
      'tornado.template.Template',
      'chevron.render',
      'django.template.Template',
    ],
    { named: ['source', 'text'] },
  ),
  ...rows(
    'module',
    [
      'importlib.import_module',
      '__import__',
      'importlib.__import__',
      'pydoc.locate',
      'importlib.util.spec_from_file_location',
    ],
    { named: ['name'] },
  ),
  ['importlib.util.spec_from_file_location', { rule: 'module', args: [1], named: ['location'] }],
  ...rows('archive', ['shutil.unpack_archive'], { named: ['filename'] }),
  ...rows(
    'archive',
    [
      'tarfile.open().extractall',
      'tarfile.open().extract',
      'tarfile.TarFile().extractall',
      'tarfile.TarFile.open().extractall',
    ],
    {
      args: [],
      receiver: true,
      when: (call) =>
        !/data|tar_filter/.test(call.named.get('filter')?.name ?? call.textOf(call.named.get('filter')) ?? ''),
    },
  ),
]);

const pathMethods = new Map<string, SinkRow>([
  ...['read_text', 'read_bytes', 'open', 'iterdir', 'glob', 'rglob'].map((name): [string, SinkRow] => [
    name,
    { rule: 'path', receiver: true },
  ]),
  ...['write_text', 'write_bytes', 'unlink', 'mkdir', 'rmdir', 'touch', 'rename', 'replace', 'symlink_to', 'chmod'].map(
    (name): [string, SinkRow] => [name, { rule: 'path', receiver: true, writes: true }],
  ),
]);

/** Sink row of a Python function or a pathlib method. */
export function pythonSinks(name: string): SinkRow | undefined {
  const found = pythonTable.get(name);
  if (found) return found;
  if (!name.startsWith('pathlib.') && !name.startsWith('anyio.Path') && !name.startsWith('aiopath')) return undefined;
  return pathMethods.get(name.slice(name.lastIndexOf('.') + 1));
}
