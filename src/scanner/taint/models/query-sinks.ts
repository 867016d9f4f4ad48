import type { Value } from '../../evaluate/values/values.js';
import { mergeTaints, taintsIn, type Fact } from '../facts/facts.js';
import { memoizeByName, lastSegment } from '../facts/qualified-names.js';
import { isStatementName } from '../facts/param-names.js';
import type { Hit, CallSite } from './sinks.js';

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
/** `executeSql`, `run_query`, `rawQuery` and similar; the argument must still look like a statement. */
const runsStatements = /^(?:(?:exec|execute|run|query|fetch|raw)_?(?:raw_?)?(?:sql|query|statement|stmt)|sql_?query)$/i;
/** Clients with the database as first and the statement as second argument. */
const statementSecond = /(?:^|\.)(?:\w*KustoClient)\(\)\./i;
/** Named arguments that carry a statement. */
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

const isNotDatabase = memoizeByName((name) =>
  /^(?:fs|os|pathlib|subprocess|child_process|shutil|axios|got|ky|requests|httpx|aiohttp|urllib|re|fetch|asyncio|Promise|Object|map|collections|path)\b/.test(
    name,
  ),
);
const ldap = /^(?:search|search_s|search_ext_s|search_st|searchAsync)$/;
const xpath = /^(?:xpath|selectNodes|XPath|ETXPath)$/;
const runs = (method: string): boolean => runners.has(method) || runsStatements.test(method);
const isQuery = memoizeByName((name) => {
  const method = lastSegment(name);
  return runs(method) || finders.has(method) || ldap.test(method) || xpath.test(method);
});

/** Injection sinks of query languages: SQL, MongoDB, LDAP and XPath. */
export function querySink(call: CallSite): readonly Hit[] {
  const sent = sentStatements(call);
  if (!isQuery(call.name)) return sent;
  const method = lastSegment(call.name);
  const what = call.name.replace(/^\?\./, '');
  const found: Hit[] = [...sent];
  const [first] = call.args;
  const statementFact = statementOf(call);
  if (
    statementFact &&
    runs(method) &&
    call.name.includes('.') &&
    !isNotDatabase(call.name) &&
    looksLikeSql(call, statementFact)
  )
    found.push({ rule: 'sql', facts: [statementFact], what });
  if (first && finders.has(method) && call.name.includes('.') && !isNotDatabase(call.name) && isDocument(call, first))
    found.push({ rule: 'query', facts: [first], what });
  if (ldap.test(method)) found.push(...ldapFilter(call, what));
  if (xpath.test(method) && first && call.language === 'python') found.push({ rule: 'query', facts: [first], what });
  return found;
}

const sendsRequest = memoizeByName(
  (name) =>
    /^(?:post|put|patch|request|fetch|send|query|execute|exec|run|call|invoke|submit|create_?query|start_?query)\w*$|Command$/i.test(
      lastSegment(name.replace(/\(\)$/, '')),
    ) && !/^(?:console|JSON|Object|Promise)\b|log(?:ger)?\./i.test(name),
);
const statementKey = /^(?:sql|sql_?text|sql_?query|sql_?statement|query|query_?string|query_?text|statement)$/i;
const isStatement =
  /^\s*(?:select|insert|update|delete|with|create|drop|alter|truncate|explain|describe|show|pragma)\s|\bwhere\s+[\w."`]+\s*(?:=|<|>|!|in\b|like\b|is\b)|\border\s+by\s/i;

/** Statement inside a request object, as database services take it: `{ body: { query: 'select …' } }`. */
function sentStatements(call: CallSite): readonly Hit[] {
  if (!sendsRequest(call.name)) return [];
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
/** Argument that holds the statement. */
const statementOf = ({ name, args, named }: CallSite): Fact | undefined =>
  (statementSecond.test(name) ? args[1] : undefined) ??
  args[0] ??
  statementNames.map((key) => named.get(key)).find((fact) => fact !== undefined);

/** Whether the constant parts look like SQL, or the whole string is a parameter named like a statement. */
function looksLikeSql(call: CallSite, fact: Fact): boolean {
  const known = knownText(fact);
  if (statement.test(known)) return true;
  const named = mergeTaints(taintsIn(fact)).some((taint) => taint.whole && isStatementName(taint.origin.param));
  const receiver = call.receiver?.name ?? call.name;
  return (
    named &&
    (/^execute(?:many|script)?$/.test(lastSegment(call.name)) ||
      /cursor|conn|db|pool|sql|session|engine|database|client|pg|mysql|duck/i.test(receiver))
  );
}

/** Constant parts of a string, with gaps for unknown ones. */
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

/** Whether a MongoDB filter is parsed from tainted JSON or holds code (`$where`). */
function isDocument(call: CallSite, fact: Fact): boolean {
  if (call.args.length === 0) return false;
  const where = fact.fields?.get('$where') ?? fact.fields?.get('$function') ?? fact.fields?.get('$expr');
  if (where) return true;
  const parsed = fact.name === 'json.loads()' || fact.name === 'JSON.parse()';
  return parsed && fact.taints.length > 0 && /coll|db|mongo|model/i.test(call.receiver?.name ?? call.name);
}

function ldapFilter(call: CallSite, what: string): readonly Hit[] {
  const given = [
    call.named.get('search_filter'),
    call.named.get('filterstr'),
    ...call.args.slice(1),
    ...call.args.flatMap((arg) => arg.fields?.get('filter') ?? []),
  ].filter((fact) => fact !== undefined);
  const filters = given.filter((fact) => /^\s*\(|\(\w+=/.test(knownText(fact)));
  return filters.length > 0 ? [{ rule: 'query', facts: filters, what }] : [];
}
