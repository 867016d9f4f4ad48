import { ofPath, held } from './containment.js';
import { all, anyPath, danger, known, mergeTaints, taintsIn, vouchFor, type Derived, type Fact } from './facts.js';
import { vouchedByRefusal } from './charset.js';
import { quotedBy } from './quoting.js';
import { lastWord } from './names.js';
import { knownText } from './queries.js';
import type { SeenCall } from './sinks.js';

const harmless = new Set(['int', 'float', 'bool', 'len', 'hash', 'ord', 'abs', 'round', 'complex', 'id', 'isinstance', 'hasattr', 'callable', 'type', 'ast.literal_eval', 'uuid.UUID', 'datetime.datetime.strptime', 'datetime.datetime.fromisoformat', 'datetime.fromisoformat', 'datetime.date.fromisoformat', 'dateutil.parser.parse', 'decimal.Decimal', 'Decimal',
  'Number', 'parseInt', 'parseFloat', 'Boolean', 'BigInt', 'Number.parseInt', 'Number.parseFloat', 'Math.floor', 'Math.min', 'Math.max', 'Math.round', 'Math.ceil', 'Math.trunc', 'Date', 'Date.parse', 'isNaN', 'Number.isInteger', 'Number.isFinite', 'Array.isArray',
  'os.path.exists', 'os.path.isfile', 'os.path.isdir', 'os.path.getsize', 'os.path.getmtime', 'os.stat', 'fs.existsSync', 'fs.statSync', 'fs.promises.stat', 'fs.promises.access', 'os.path.splitext', 'path.extname', 'os.access']);
const cleaned = new Map<string, number>([
  ['shlex.quote', danger.command], ['pipes.quote', danger.command], ['shlex.join', danger.command], ['subprocess.list2cmdline', 0], ['shell-quote.quote', danger.command], ['shell-escape', danger.command], ['shellescape', danger.command], ['puka.quoteForShell', danger.command], ['shescape.quote', danger.command], ['shescape.Shescape().quote', danger.command], ['shescape.Shescape().escape', danger.command],
  ['os.path.basename', anyPath | danger.module], ['path.basename', anyPath | danger.module], ['werkzeug.utils.secure_filename', anyPath | danger.command], ['pathvalidate.sanitize_filename', anyPath], ['sanitize-filename', anyPath], ['filenamify', anyPath], ['slugify', all], ['slugify.slugify', all], ['werkzeug.utils.safe_join', anyPath], ['flask.safe_join', anyPath],
  ['encodeURIComponent', anyPath | danger.url | danger.query], ['urllib.parse.quote_plus', anyPath | danger.url | danger.sql | danger.command], ['urllib.parse.quote', danger.url], ['encodeURI', 0], ['urllib.parse.urlencode', anyPath | danger.url], ['querystring.stringify', danger.url], ['querystring.escape', danger.url | anyPath],
  ['ldap.filter.escape_filter_chars', danger.query], ['ldap3.utils.conv.escape_filter_chars', danger.query], ['ldapjs.escapeFilter', danger.query], ['ldap-escape.filter', danger.query], ['xml.sax.saxutils.escape', danger.query | danger.template], ['html.escape', danger.template], ['markupsafe.escape', danger.template],
  ['psycopg2.sql.Identifier', danger.sql], ['psycopg2.sql.Literal', danger.sql], ['psycopg.sql.Identifier', danger.sql], ['psycopg.sql.Literal', danger.sql], ['sqlstring.escape', danger.sql], ['sqlstring.escapeId', danger.sql], ['mysql.escape', danger.sql], ['mysql.escapeId', danger.sql], ['mysql2.escape', danger.sql], ['mysql2.escapeId', danger.sql], ['pg-format', danger.sql], ['pg.escapeIdentifier', danger.sql], ['pg.escapeLiteral', danger.sql], ['pymysql.converters.escape_string', danger.sql],
  ['JSON.stringify', danger.code | danger.module], ['json.dumps', danger.code], ['repr', danger.code], ['base64.b64encode', danger.command | danger.sql | danger.code], ['base64.urlsafe_b64encode', all], ['btoa', danger.command | danger.sql | danger.code], ['hashlib.md5', all], ['hashlib.sha1', all], ['hashlib.sha256', all], ['hashlib.sha512', all], ['hashlib.new', all], ['crypto.createHash', all], ['crypto.createHash().update', all], ['zlib.crc32', all],
  ['ipaddress.ip_address', all & ~danger.url], ['ipaddress.ip_network', all & ~danger.url & ~anyPath], ['ipaddress.IPv4Address', all & ~danger.url], ['bson.ObjectId', all], ['mongodb.ObjectId', all], ['ObjectId', all], ['re.escape', danger.query],
]);
const decoders = new Set(['urllib.parse.unquote', 'urllib.parse.unquote_plus', 'decodeURIComponent', 'decodeURI', 'unescape', 'querystring.unescape', 'base64.b64decode', 'base64.urlsafe_b64decode', 'base64.standard_b64decode', 'atob', 'html.unescape', 'codecs.decode', 'bytes.fromhex', 'binascii.unhexlify']);
/** Calls that follow the links of a path. */
const links = new Set(['os.path.realpath', 'fs.realpath', 'fs.realpathSync', 'fs.promises.realpath', 'fs.realpathSync.native']);
/** Calls that fail unless their argument is well formed: whoever gets past them holds a harmless value. */
export const proves = new Map<string, number>([
  ['int', all], ['float', all], ['uuid.UUID', all], ['ipaddress.ip_address', all & ~danger.url], ['ipaddress.IPv4Address', all & ~danger.url], ['ipaddress.ip_network', all & ~danger.url & ~anyPath], ['datetime.datetime.strptime', all], ['datetime.datetime.fromisoformat', all], ['bson.ObjectId', all], ...[...links].map((name): [string, number] => [name, known.followed]), ['URL', danger.argument], ['url.URL', danger.argument],
]);

const resolving = new Set(['os.path.realpath', 'os.path.abspath', 'os.path.normpath', 'path.resolve', 'path.normalize', 'fs.realpath', 'fs.realpathSync', 'fs.promises.realpath', 'fs.realpathSync.native', 'upath.resolve']);
const pathLike = new Set(['os.path.join', 'os.path.expanduser', 'os.path.expandvars', 'os.path.dirname', 'os.fspath', 'pathlib.Path', 'pathlib.PurePath', 'pathlib.PosixPath', 'anyio.Path', 'path.join', 'path.dirname', 'path.posix.join', 'str', 'String', 'url.fileURLToPath', 'untildify', 'os.path.relpath', 'path.relative']);
const urlLike = new Set(['urllib.parse.urlparse', 'urllib.parse.urlsplit', 'urlparse.urlparse', 'URL', 'url.parse', 'url.URL', 'URL.parse', 'yarl.URL', 'httpx.URL', 'furl.furl', 'urllib3.util.parse_url', 'tldextract.extract']);
const parsedUrl = new Set([...urlLike].map((name) => `${name}()`));
/** Whether a value is what parsing an address gives. */
export const isParsedUrl = (name: string | undefined): boolean => name !== undefined && parsedUrl.has(name);
const addressLike = new Set(['socket.gethostbyname', 'socket.getaddrinfo', 'socket.gethostbyname_ex', 'dns.lookup', 'dns.promises.lookup', 'dns.promises.resolve4', 'dns.promises.resolve6', 'dns.promises.resolve', 'dns.resolve4', 'dns.resolve6', 'dns.resolve', 'socket.inet_aton', 'ip.toBuffer', 'dns.resolver.resolve', 'ipaddress.ip_address', 'ipaddr.js.parse', 'ipaddr.js.process', 'ipaddr.js', 'net.isIP']);
const carriers = /^(?:str|String|list|tuple|set|dict|sorted|reversed|bytes|bytearray|iter|next|map|filter|zip|enumerate|min|max|sum|any|repr|format|print|getattr|vars|copy\.\w+|json\.(?:loads|dumps|load)|JSON\.(?:parse|stringify)|yaml\.(?:safe_load|load|dump)|os\.path\.\w+|path\.\w+|pathlib\.\w+|urllib\.parse\.\w+|url\.\w+|shlex\.\w+|shell-quote\.parse|string-argv|re\.\w+|html\.\w+|base64\.\w+|binascii\.\w+|codecs\.\w+|textwrap\.\w+|itertools\.\w+|functools\.\w+|typing\.cast|Object\.\w+|Array\.\w+|Array|Buffer\.from|Buffer\.concat|atob|btoa|decodeURI\w*|encodeURI\w*|escape|unescape|Promise\.\w+|structuredClone|querystring\.\w+|qs\.\w+|io\.(?:StringIO|BytesIO)|util\.format|sqlalchemy\.(?:text|sql\.text)|sqlparse\.\w+|string\.Template|asyncio\.(?:gather|wait_for|shield)|URLSearchParams|Set|Map|Error|lodash\.\w+|ast\.parse|js-yaml\.\w+|os\.environ\.get|urllib\.request\.Request|tarfile\.\w+|zipfile\.\w+|requests\.Request|Request)$/;

/** Whether a call has a row of its own in these tables. */
export const isListed = (name: string): boolean => addressLike.has(name) || urlLike.has(name) || cleaned.has(name) || resolving.has(name) || pathLike.has(name);

/** What a call of something outside gives back, as far as the caller's text is in it. */
export function transfer(call: SeenCall, keyOfArg: (at: number) => string | undefined): Fact {
  const { name, args, named, receiver } = call;
  const result: Fact = { taints: [], name: `${name.startsWith('?.') ? '' : name}()` };
  if (harmless.has(name)) return derived(result, call, keyOfArg, name.includes('path') ? 0 : 0);
  const given = mergeTaints(...args.map((arg) => taintsIn(arg)), ...[...named.values()].map((arg) => taintsIn(arg)));
  const clean = cleaned.get(name);
  if (name === 'urllib.parse.quote' && call.textOf(named.get('safe')) === '') return { ...result, taints: vouchFor(given, danger.url | anyPath | danger.command) };
  // What comes out of a code was not there to be looked at before.
  if (decoders.has(name)) return { ...result, taints: given.map((taint) => ({ ...taint, safe: 0 })) };
  if (clean !== undefined && !addressLike.has(name)) return { ...result, taints: vouchFor(given, clean) };
  if (name === 're.sub' || name === 're.subn') return { ...result, taints: vouchFor(mergeTaints(args[1]?.taints ?? [], args[2]?.taints ?? []), vouchedByRefusal(call.textOf(args[0]) ?? args[0]?.name ?? '', '')) };
  if (/^contextlib\.(?:closing|aclosing|nullcontext)$/.test(name) && args[0]) return args[0];
  if (/^(?:shlex\.split|shell-quote\.parse|string-argv|string-argv\.parseArgsStringToArgv)$/.test(name) && args[0]) return cutWords(result, args[0]) ?? { ...result, taints: given };
  if (urlLike.has(name)) return { ...result, taints: given, ...keys(args, keyOfArg, danger.url) };
  if (addressLike.has(name)) return { ...result, taints: vouchFor(given, clean ?? 0), ...keys(args, keyOfArg, danger.url) };
  if (name === 'path.relative' || name === 'os.path.relpath' || name === 'os.path.commonpath' || name === 'os.path.commonprefix') return { ...result, taints: given, ...keys([...args, ...args.flatMap((arg) => [...(arg.fields?.values() ?? [])])], keyOfArg, ofPath), isResolved: true, isReal: areReal(args) };
  if (resolving.has(name) || pathLike.has(name)) {
    const isSame = args.length === 1 && args[0]?.isResolved === true && args[0].taints.length > 0;
    // An absolute path begins with no dash.
    const joined = vouchFor(joinedPath(name, args), resolving.has(name) && !/norm/.test(name) ? danger.argument : 0);
    const spelled = joined.length === 0 ? args.map(knownText).filter((part) => part !== '').join('/') : '';
    // A folder that is not the caller's stands before what they gave: that is where they should have stayed.
    const behind = args.length > 1 && args[0] !== undefined && taintsIn(args[0]).length === 0 && !isAnywhere(args[0]) ? { lead: true as const } : args.length === 1 ? { lead: args[0]?.lead, inFolder: args[0]?.inFolder } : {};
    return { ...result, taints: joined, tail: name.endsWith('dirname') ? undefined : args.at(-1)?.tail, ...behind, ...(spelled === '' ? {} : { value: { kind: 'text', parts: [spelled] } }), ...keys(args, keyOfArg, name === 'str' || name === 'String' ? all : ofPath), isResolved: resolving.has(name) || isSame, isReal: links.has(name) || (isSame && args[0]?.isReal === true), isClosed: args.length > 1 && args.at(-1)?.value?.kind === 'constant' && call.textOf(args.at(-1)) === '' };
  }
  const method = lastWord(name);
  if (receiver && taintsIn(receiver).length > 0 && !name.startsWith('requests') ) return ofTaintedReceiver(call, method, result);
  if (carriers.test(name) || call.isNew || /^[A-Z]\w+$/.test(method)) return { ...result, taints: given, ...(args.length === 1 && args[0]?.fields && !/json|JSON/.test(name) ? { fields: args[0].fields } : {}) };
  return result;
}

/** Every path of the caller's among these had its links followed. */
const areReal = (args: readonly Fact[]): boolean => args.flatMap((arg) => [arg, ...(arg.fields?.values() ?? [])]).every((arg) => arg.isReal === true || arg.taints.length === 0);

/** Where the user is: joined to a path it makes it absolute and holds it to nothing. */
export const isAnywhere = (fact: Fact): boolean => /^(?:os\.homedir|process\.cwd|os\.getcwd|os\.path\.expanduser|pathlib\.Path\.(?:cwd|home))\(\)$/.test(fact.name ?? '');

/** Joining keeps what each part can do; behind a fixed front a JavaScript path can only climb, not start anew. */
function joinedPath(name: string, args: readonly Fact[]) {
  const lists = args.map((arg, at) => {
    const behind = at > 0 && (name === 'path.join' || name === 'path.posix.join') && (args[0]?.taints.length ?? 0) === 0;
    return behind ? vouchFor(taintsIn(arg), danger.pathAbsolute) : taintsIn(arg);
  });
  const merged = mergeTaints(...lists);
  return args.length > 1 ? merged.map((taint) => ({ ...taint, whole: false })) : merged;
}

function keys(args: readonly Fact[], keyOfArg: (at: number) => string | undefined, kinds: number): { from?: readonly Derived[] } {
  const found: Derived[] = [];
  args.forEach((arg, at) => {
    if (taintsIn(arg).length === 0) return;
    const key = keyOfArg(at);
    if (key !== undefined) found.push({ key, kinds });
    for (const each of arg.from ?? []) if ((each.kinds & kinds) !== 0) found.push({ key: each.key, kinds: each.kinds & kinds });
  });
  return found.length > 0 ? { from: found } : {};
}

const derived = (result: Fact, call: SeenCall, keyOfArg: (at: number) => string | undefined, kinds: number): Fact => ({ ...result, ...keys(call.args, keyOfArg, kinds) });

const sameText = new Set(['strip', 'lstrip', 'rstrip', 'lower', 'upper', 'trim', 'trimEnd', 'trimStart', 'toLowerCase', 'toUpperCase', 'toString', 'casefold', 'normalize', 'valueOf', 'decode', 'encode', 'title', 'capitalize']);
const noText = new Set(['startswith', 'endswith', 'startsWith', 'endsWith', 'includes', 'indexOf', 'lastIndexOf', 'find', 'count', 'isdigit', 'isalnum', 'isalpha', 'test', 'has', 'exists', 'is_file', 'is_dir', 'stat', 'search', 'localeCompare', 'charCodeAt', 'codePointAt', 'length', 'index', 'is_absolute', 'is_relative_to', 'hexdigest', 'digest', 'write', 'writelines', 'close', 'flush', 'read', 'read_text', 'read_bytes', 'readline', 'readlines', 'json', 'text', 'arrayBuffer', 'blob', 'iterdir', 'glob', 'rglob', 'fetchall', 'fetchone', 'raise_for_status', 'push', 'append']);

/** What is listed in an archive was written by whoever made it. */
const listsArchive = /^(?:namelist|infolist|getnames|getmembers|getEntries)$/;

/** A line cut at its blanks: where the program stands in text that is not the caller's, only the words after it are theirs. */
function cutWords(result: Fact, line: Fact): Fact | undefined {
  const front = typeof line.lead === 'string' ? line.lead : line.lead === true && line.value?.kind === 'text' ? line.value.parts.slice(0, 2).map((part) => (typeof part === 'string' ? part : '?')).join('') : '';
  const [program, rest] = front.trimStart().split(/\s/, 2);
  if (program === undefined || rest === undefined) return undefined;
  return { ...result, taints: [], fields: new Map([['0', { taints: [], value: { kind: 'constant', value: program } }], ['*', { taints: taintsIn(line).map((taint) => ({ ...taint, whole: false })) }]]) };
}

/** A plain text as a pattern. */
const escaped = (text: string): string => (text.length === 1 ? `\\${text}` : '');

/** A method of tainted text gives tainted text, unless it only looks at it. */
function ofTaintedReceiver(call: SeenCall, method: string, result: Fact): Fact {
  const { receiver, args } = call;
  if (!receiver || noText.has(method)) return result;
  const taints = taintsIn(receiver);
  if (method === 'split' && (args.length === 0 || call.textOf(args[0]) === ' ')) return cutWords(result, receiver) ?? { ...result, taints, from: receiver.from };
  if (listsArchive.test(method)) return { ...result, taints: taints.map((taint) => ({ ...taint, safe: 0, whole: false, inArchive: true })) };
  if (method === 'resolve' || method === 'absolute') return { ...result, name: 'pathlib.Path()', taints, from: receiver.from, lead: receiver.lead, inFolder: receiver.inFolder, tail: receiver.tail, isResolved: method === 'resolve', isReal: method === 'resolve' };
  if (method === 'joinpath' || method === 'with_name' || method === 'with_suffix' || method === 'expanduser') return { ...result, name: 'pathlib.Path()', taints: mergeTaints(taints, ...args.map((arg) => arg.taints)), from: receiver.from, lead: receiver.lead };
  if (method === 'replace' || method === 'replaceAll') {
    const source = call.args[0]?.name?.startsWith('/') ? call.args[0].name : '';
    const cut = source.lastIndexOf('/');
    const isAll = source.slice(cut + 1).includes('g') || method === 'replaceAll' || (call.language === 'python' && source === '');
    if (!isAll) return { ...result, taints, lead: receiver.lead };
    const safe = source === '' ? 0 : vouchedByRefusal(source.slice(1, cut), source.slice(cut + 1));
    const [pattern, replacement] = [source === '' ? escaped(call.textOf(args[0]) ?? '') : source.slice(1, cut), call.textOf(args[1])];
    return { ...result, taints: taints.map((taint) => ({ ...taint, safe: taint.safe | safe | quotedBy(pattern, replacement, taint.safe) })), lead: receiver.lead };
  }
  if (method === 'relative_to') return { ...result, name: 'pathlib.Path()', taints: vouchFor(taints, held(receiver)), from: receiver.from };
  return { ...result, name: /^(?:get|pop|copy)$/.test(method) ? undefined : result.name, taints, lead: sameText.has(method) ? receiver.lead : undefined, ...(sameText.has(method) ? { isResolved: receiver.isResolved, isReal: receiver.isReal, value: receiver.value } : {}), from: receiver.from };
}
