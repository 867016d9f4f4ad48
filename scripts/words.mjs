// Flags words that hide the trade's own: persons as subjects, and phrases of no technical dictionary. Reads comments and
// messages of the product, titles of tests and all documents; also reports top-level names that too many files define.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from '@babel/parser';

// `node scripts/words.mjs [text] [--root folder]`; with a text only problems that contain it are shown.
const { values, positionals } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true });
const root = values.root ?? join(dirname(fileURLToPath(import.meta.url)), '..');

/** Word or phrase, and what to write instead. */
const flagged = [
  [/\bwho(?:m)?ever\b/i, 'name the code or the data'],
  [/\bnobody(?:'s)?\b/i, 'no caller, no rule, anonymous'],
  [/\bsome(?:body|one)(?:'s)?\b/i, 'name the caller, client or operator'],
  [/\b(?:one|those|they|he) who\b/i, 'name the caller, client or operator'],
  [/\bstrangers?\b/i, 'untrusted source'],
  [/\btold\b/i, 'set, reported, distinguished, by default'],
  [/\btell(?:s|ing)?\b/i, 'reports, shows, returns, distinguishes'],
  [/\b(?:heard|hears?|overhear\w*)\b/i, 'received, notified'],
  [/\b(?:says|saying)\b/i, 'states, reports, declares'],
  [/\bspeaks?\b/i, 'uses, supports'],
  [/\bknows\b/i, 'has, records, supports'],
  [/\bmeant\b/i, 'intended, expected'],
  [/\b(?:mend(?:s|ed|ing)?|mendings)\b/i, 'fix, fixed'],
  [/\bin force\b/i, 'active'],
  [/\b(?:let|lets|letting) (?:go|in) of\b|\blet go\b/i, 'release, evict, drop'],
  [/\bthere is (?:no|not) such\b/i, 'unknown, does not exist'],
  [/\bof its own\b/i, 'separate, its own'],
];

/** Names that are words of the domain, and so may be defined in any number of files. */
const domainNames = new Set(['rule', 'run', 'help', 'options', 'routes', 'guard', 'parse', 'Rule', 'Options']);
const mostFilesPerName = 3;

/** Places that quote such words as data: texts that are searched for, not written by us. */
const allowedPaths = [
  /^src\/hostile-text\/injection\//,
  /^src\/scanner\/.*(?:fixtures|cases)\b/,
  /^docs\/rules\//,
  /^src\/scanner\/rules\/surface\/poisoning\.ts$/,
  /^src\/registry\/lint\.ts$/,
  /^CHANGELOG\.md$/,
];

const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && !allowedPaths.some((path) => path.test(file)));
const read = (file) => {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
};

const problems = [];
const definedIn = new Map();
const check = (text, file, line) => {
  for (const [pattern, instead] of flagged) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const at = line + (text.slice(0, found.index).match(/\n/g)?.length ?? 0);
    problems.push(`${file}:${at}: "${found[0]}"; write ${instead}`);
  }
};

for (const file of tracked) {
  const isProduct = /^(?:src|bench|scripts)\/.*\.(?:ts|tsx|mjs)$/.test(file) && !file.endsWith('.test.ts');
  const isTest = /^(?:src|test)\/.*\.test\.ts$/.test(file);
  const isDocument = file.endsWith('.md');
  if (!isProduct && !isTest && !isDocument) continue;
  if (file === 'scripts/words.mjs') continue;
  const text = read(file);
  if (text === undefined) continue;
  if (isDocument) {
    text.split('\n').forEach((line, index) => check(line.replace(/`[^`]*`/g, ''), file, index + 1));
    continue;
  }
  const plugins = file.endsWith('.tsx') ? ['typescript', 'jsx'] : ['typescript'];
  let tree;
  try {
    tree = parse(text, { sourceType: 'module', plugins, errorRecovery: true, tokens: true });
  } catch (error) {
    problems.push(`${file}: cannot be parsed: ${error.message}`);
    continue;
  }
  if (isTest) {
    for (const { text: title, line } of testTitles(tree.program)) check(title, file, line);
    continue;
  }
  for (const comment of tree.comments) check(comment.value, file, comment.loc.start.line);
  for (const token of tree.tokens) {
    const label = token.type.label;
    if (
      (label === 'string' || label === 'template') &&
      / \S+ /.test(` ${token.value} `) &&
      /[a-z] [a-z]/.test(token.value ?? '')
    )
      check(token.value, file, token.loc.start.line);
  }
  if (file.startsWith('src/'))
    for (const name of topLevelNames(tree.program)) definedIn.set(name, [...(definedIn.get(name) ?? []), file]);
}
for (const [name, files] of definedIn) {
  if (files.length > mostFilesPerName && !domainNames.has(name))
    problems.push(`${name} is defined in ${files.length} files: ${files.slice(0, 6).join(', ')}`);
}

const [filter] = positionals;
const shown = filter === undefined ? problems : problems.filter((problem) => problem.includes(filter));
for (const problem of shown) console.error(problem);
if (shown.length > 0) {
  console.error(`${shown.length} places to reword; docs/glossary.md has the words`);
  process.exitCode = 1;
}

function topLevelNames(program) {
  return program.body.flatMap((statement) => {
    const declared =
      statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
        ? statement.declaration
        : statement;
    if (!declared) return [];
    if (declared.type === 'VariableDeclaration')
      return declared.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
    return declared.id?.type === 'Identifier' ? [declared.id.name] : [];
  });
}

/** First arguments of `test`, `it` and `describe`, also behind `.each(…)`, `.skipIf(…)` and the like. */
function testTitles(node) {
  if (Array.isArray(node)) return node.flatMap(testTitles);
  if (typeof node?.type !== 'string') return [];
  const inner = Object.values(node).flatMap((child) => (typeof child === 'object' ? testTitles(child) : []));
  if (node.type !== 'CallExpression' || !['test', 'it', 'describe'].includes(calledName(node.callee))) return inner;
  const [title] = node.arguments;
  const line = title?.loc.start.line;
  if (title?.type === 'StringLiteral') return [{ text: title.value, line }, ...inner];
  if (title?.type === 'TemplateLiteral')
    return [{ text: title.quasis.map(({ value }) => value.cooked).join('…'), line }, ...inner];
  return inner;
}

function calledName(callee) {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return calledName(callee.object);
  if (callee.type === 'CallExpression') return calledName(callee.callee);
  return undefined;
}
