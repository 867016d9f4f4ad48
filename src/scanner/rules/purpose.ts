import type { Flow } from '../taint/run.js';
import type { Entry } from '../taint/sources.js';

const commandParam =
  /^(?:command|commands|cmd|cmds|commandline|command_line|shell_command|script|bash|shell|program|executable|app|application|stdin|args|argv)$/i;
const codeParam = /^(?:code|script|python|python_code|javascript|js|source|source_code|snippet|program|js_code)$/i;
const sqlParam = /(?:^|_)(?:sql|query|statement|stmt|sql_query|queries|cypher)$/i;
/** Named so, it is a statement and not a word to look for. */
const isStatement = /(?:^|_)(?:sql|sql_query|statement|stmt|cypher)$/i;
/** Named so, it is a piece of a statement that the caller is asked to write. */
const isClause = /^(?:raw_?)?(?:where|having)(?:_?clauses?|_?conditions?)?$/i;
const urlParam = /(?:^|_)(?:urls?|uri|link|links|endpoint|href|website|page|site|webpage|feed|address)$|Url$|URL$|Uri$/;

const runsCommands =
  /(?:run|exec|execute|invoke|start)[-_ ]?\w*[-_ ]?(?:command|cmd|shell|bash|terminal|process|script|powershell)|(?:^|[-_ ])(?:shell|terminal|bash|powershell|ssh)(?:$|[-_ ])|(?:shell|system|terminal) commands?|(?:launch|open|start|run)\w*[-_ ](?:an? |the )?(?:\w+ )?(?:app|application|executable|program)/i;
const runsCode =
  /(?:run|exec|execute|eval|evaluate|interpret)[-_ ]?\w*[-_ ]?(?:code|python|javascript|js|script|snippet|program)|code[-_ ]?(?:interpreter|runner|execution)|repl\b|sandbox/i;
const runsSql = /\bsql\b|quer(?:y|ies)|database|\bdb\b|select statement/i;
const fetches =
  /fetch|url|web|page|http|download|scrap|crawl|brows|site|request|link|rss|feed|navigate|screenshot|open/i;

/**
 * Whether a tool does with a parameter what it says it is for. A shell, SQL or fetch tool is a power that the user must
 * judge, not a mistake; a check in the way shows that the author meant less than the code allows.
 */
export function purposeOf(flow: Flow): Purpose {
  const meant = isMeant(flow);
  return meant && !(flow.judged && (flow.rule === 'command' || flow.rule === 'code'))
    ? 'by design'
    : meant
      ? 'fenced'
      : 'beyond';
}

/** By design; by design behind a check that could not be seen to hold; or more than the tool says. */
export type Purpose = 'by design' | 'fenced' | 'beyond';

function isMeant(flow: Flow): boolean {
  const { entry, param, rule, whole, lead } = flow;
  const name = entry.name;
  const says = `${name} ${entry.description.slice(0, 600)}`;
  switch (rule) {
    case 'command':
      return (
        commandParam.test(param) &&
        runsCommands.test(says) &&
        (whole || (typeof lead !== 'string' && runsCommands.test(name)))
      );
    case 'code':
      // Code is often wrapped in a function before it is run; a tool named for running it still does what it says.
      return codeParam.test(param) && runsCode.test(says) && (whole || runsCode.test(name));
    case 'sql':
      return runsSql.test(says) && (isClause.test(param) || (sqlParam.test(param) && isStatementItself(flow)));
    case 'url':
      return whole && urlParam.test(param) && fetches.test(says);
    default:
      return false;
  }
}

/** A tool named for running code, with a parameter for it. Commands are not believed by name: they may run elsewhere, on a device. */
export const saysItRuns = ({ kind, name, schema }: Entry): boolean =>
  kind === 'tool' &&
  runsCode.test(name) &&
  Object.keys(schema?.properties ?? {}).some((param) => codeParam.test(param));

/** A tool named for running statements: the statement may go to a service that is not known as a database. */
export const saysItQueries = ({ kind, name }: Entry): boolean =>
  kind === 'tool' && /(?:^|[-_ ])(?:exec|execute|run)[-_ ]?(?:raw[-_ ]?)?sql(?:$|[-_ ])/i.test(name);

const isStatementItself = ({ param, whole, lead }: Flow): boolean =>
  whole || isStatement.test(param) || wrapsStatement(lead);

/** `EXPLAIN …`, `SELECT … FROM (…)`, or nothing before it: the caller's text is still the statement itself. */
const wrapsStatement = (lead: string | true | undefined): boolean =>
  lead === undefined ||
  (typeof lead === 'string' && /^\s*(?:(?:explain|profile|describe)\b[^'"=]*|[^'"=]*\bfrom\s*\()\s*$/i.test(lead));
