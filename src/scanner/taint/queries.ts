import type { Value } from '../evaluate/values.js';
import { mergeTaints, taintsIn, type Fact } from './facts.js';
import { byName, lastWord } from './names.js';
import { isStatementName } from './param-names.js';
import type { Hit, SeenCall } from './sinks.js';

const runners = new Set([
  'execute',
  'executemany',
  'executescript',
  'exec_driver_sql',
  'fetch',
  'fetchrow',
  'fetchval',
  'fetch_all',
  'fetch_one',
  'read_sql',
  'read_sql_query',
  'query',
  'exec',
  'run',
  'all',
  'get',
  'each',
  'prepare',
  'raw',
  'unsafe',
  '$queryRawUnsafe',
  '$executeRawUnsafe',
  'queryRaw',
  'execute_query',
  'run_query',
  'sql',
  'query_df',
  'simple',
  'iterate',
  'any',
  'one',
  'none',
  'manyOrNone',
  'oneOrNone',
  'createQuery',
  'whereRaw',
  'orderByRaw',
  'selectRaw',
  'query_and_wait',
  'select',
  'execute_statement',
  'execute_mgmt',
  'start_query_execution',
  'executeStatement',
]);
/** `executeSql`, `run_query`, `rawQuery` and their like; what they are given must still read as a statement. */
const runsStatements = /^(?:(?:exec|execute|run|query|fetch|raw)_?(?:raw_?)?(?:sql|query|statement|stmt)|sql_?query)$/i;
/** Clients that take the database first and the statement after it. */
const statementSecond = /(?:^|\.)(?:\w*KustoClient)\(\)\./i;
/** The names by which a statement is given. */
const statementNames = ['query', 'sql', 'statement', 'operation', 'QueryString', 'Sql', 'Statement', 'stmt'] as const;
const statement =
  /\b(?:select\b[\s\S]*\bfrom|insert\s+(?:or\s+\w+\s+)?into|update\b[\s\S]*\bset|delete\s+from|create\s+(?:or\s+replace\s+)?(?:temp\w*\s+)?(?:table|view|index|database|schema|user|extension)|drop\s+(?:table|view|index|database|schema)|alter\s+table|truncate\s+table|pragma\b|show\s+(?:tables|columns|create|index|databases)|describe\b|explain\b|where\s+\w+|order\s+by|group\s+by|union\s+(?:all\s+)?select|use\s|call\s|grant\s|with\s+\w+\s+as|match\s*\(|merge\s*\(|select\s)|\|\s*(?:getschema|sample|take|where|project|summarize|limit|count|extend|join)\b|^\s*\.(?:show|drop|alter|create|set|ingest)\s/i;

const finders = new Set([
  'find',
  'findOne',
  'find_one',
  'aggregate',
  'updateOne',
  'updateMany',
  'update_one',
  'update_many',
  'deleteOne',
  'deleteMany',
  'delete_one',
  'delete_many',
  'count_documents',
  'countDocuments',
  'find_one_and_update',
  'findOneAndUpdate',
  'distinct',
  'replaceOne',
  'replace_one',
]);

const isFile = byName((name) =>
  /^(?:fs|os|pathlib|subprocess|child_process|shutil|axios|got|ky|requests|httpx|aiohttp|urllib|re|fetch|asyncio|Promise|Object|map|collections|path)\b/.test(
    name,
  ),
);
const ldap = /^(?:search|search_s|search_ext_s|search_st|searchAsync)$/;
const xpath = /^(?:xpath|selectNodes|XPath|ETXPath)$/;
const runs = (method: string): boolean => runners.has(method) || runsStatements.test(method);
const isQuery = byName((name) => {
  const method = lastWord(name);
  return runs(method) || finders.has(method) || ldap.test(method) || xpath.test(method);
});

/** Queries in a language of their own: SQL, Mongo, LDAP and XPath. */
export function querySink(call: SeenCall): readonly Hit[] {
  const sent = sentStatements(call);
  if (!isQuery(call.name)) return sent;
  const method = lastWord(call.name);
  const what = call.name.replace(/^\?\./, '');
  const found: Hit[] = [...sent];
  const [first] = call.args;
  const said = statementOf(call);
  if (said && runs(method) && call.name.includes('.') && !isFile(call.name) && speaksSql(call, said))
    found.push({ rule: 'sql', facts: [said], what });
  if (first && finders.has(method) && call.name.includes('.') && !isFile(call.name) && isDocument(call, first))
    found.push({ rule: 'query', facts: [first], what });
  if (ldap.test(method)) found.push(...ldapFilter(call, what));
  if (xpath.test(method) && first && call.language === 'python') found.push({ rule: 'query', facts: [first], what });
  return found;
}

const sends = byName(
  (name) =>
    /^(?:post|put|patch|request|fetch|send|query|execute|exec|run|call|invoke|submit|create_?query|start_?query)\w*$|Command$/i.test(
      lastWord(name.replace(/\(\)$/, '')),
    ) && !/^(?:console|JSON|Object|Promise)\b|log(?:ger)?\./i.test(name),
);
const statementKey = /^(?:sql|sql_?text|sql_?query|sql_?statement|query|query_?string|query_?text|statement)$/i;
const isStatement =
  /^\s*(?:select|insert|update|delete|with|create|drop|alter|truncate|explain|describe|show|pragma)\s|\bwhere\s+[\w."`]+\s*(?:=|<|>|!|in\b|like\b|is\b)|\border\s+by\s/i;

/** A statement that is sent away in an object, as services for databases take it: `{ body: { query: 'select …' } }`. */
function sentStatements(call: SeenCall): readonly Hit[] {
  if (!sends(call.name)) return [];
  const facts = call.args.flatMap((arg) => statementsIn(arg, 0));
  return facts.length === 0 ? [] : [{ rule: 'sql', facts, what: call.name.replace(/^\?\./, '') }];
}

function statementsIn({ fields }: Fact, depth: number): readonly Fact[] {
  if (!fields || depth > 2) return [];
  return [...fields].flatMap(([key, field]) =>
    field.fields
      ? statementsIn(field, depth + 1)
      : statementKey.test(key) && field.taints.some(({ whole }) => !whole) && isStatement.test(knownText(field))
        ? [field]
        : [],
  );
}
/** The argument that is the statement. */
const statementOf = ({ name, args, named }: SeenCall): Fact | undefined =>
  (statementSecond.test(name) ? args[1] : undefined) ??
  args[0] ??
  statementNames.map((key) => named.get(key)).find((fact) => fact !== undefined);

/** Text around the caller's part reads as SQL, or the whole text is a parameter that is called a statement. */
function speaksSql(call: SeenCall, fact: Fact): boolean {
  const known = knownText(fact);
  if (statement.test(known)) return true;
  const named = mergeTaints(taintsIn(fact)).some((taint) => taint.whole && isStatementName(taint.origin.param));
  const receiver = call.receiver?.name ?? call.name;
  return (
    named &&
    (/^execute(?:many|script)?$/.test(lastWord(call.name)) ||
      /cursor|conn|db|pool|sql|session|engine|database|client|pg|mysql|duck/i.test(receiver))
  );
}

/** The literal parts of a text, whatever stands between them. */
export const knownText = (fact: Fact): string =>
  literalsOf(fact.value) ?? (typeof fact.lead === 'string' ? fact.lead : '');

function literalsOf(value: Value | undefined): string | undefined {
  if (value?.kind === 'constant') return typeof value.value === 'string' ? value.value : undefined;
  if (value?.kind === 'text') return value.parts.map((part) => (typeof part === 'string' ? part : ' ')).join('');
  if (value?.kind === 'choice')
    return value.options
      .map((option) => literalsOf(option) ?? '')
      .toSorted((one, other) => other.length - one.length)[0];
  return undefined;
}

/** A filter document that is the caller's own, or holds `$where` text of theirs. */
function isDocument(call: SeenCall, fact: Fact): boolean {
  if (call.args.length === 0) return false;
  const where = fact.fields?.get('$where') ?? fact.fields?.get('$function') ?? fact.fields?.get('$expr');
  if (where) return true;
  const parsed = fact.name === 'json.loads()' || fact.name === 'JSON.parse()';
  return parsed && fact.taints.length > 0 && /coll|db|mongo|model/i.test(call.receiver?.name ?? call.name);
}

function ldapFilter(call: SeenCall, what: string): readonly Hit[] {
  const given = [
    call.named.get('search_filter'),
    call.named.get('filterstr'),
    ...call.args.slice(1),
    ...call.args.flatMap((arg) => arg.fields?.get('filter') ?? []),
  ].filter((fact) => fact !== undefined);
  const filters = given.filter((fact) => /^\s*\(|\(\w+=/.test(knownText(fact)));
  return filters.length > 0 ? [{ rule: 'query', facts: filters, what }] : [];
}
