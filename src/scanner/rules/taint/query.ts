import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input in LDAP, XPath or document queries (query injection). */
export const taintQuery = taintRule(
  'query',
  {
    id: 'TG-TAINT-QUERY',
    title: 'A parameter becomes part of an LDAP, XPath or document query',
    severity: 'high',
    cwe: [90, 643, 943],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101'],
    why: 'Text inserted into a filter changes what the filter matches, and can bypass authentication.',
    fix: 'Escape the value for the query language, or pass it as a variable.',
    cases: [
      pythonCase(
        'import ldap\nfrom ldap.filter import escape_filter_chars',
        `directory = ldap.initialize("ldap://directory.example.com")

@mcp.tool()
def find_person(name: str) -> str:
    """Finds a person."""
    return str(directory.search_s("dc=example", 2, f"(cn={name})"))`,
        `directory = ldap.initialize("ldap://directory.example.com")

@mcp.tool()
def find_person(name: str) -> str:
    """Finds a person."""
    return str(directory.search_s("dc=example", 2, f"(cn={escape_filter_chars(name)})"))`,
      ),
      scriptCase(
        'import { MongoClient } from "mongodb";',
        `const users = new MongoClient('mongodb://localhost').db('app').collection('users');
server.registerTool('find', { inputSchema: { age: z.string() } }, async ({ age }) => {
  const found = await users.find({ $where: 'this.age > ' + age }).toArray();
  return { content: [{ type: 'text', text: JSON.stringify(found) }] };
});`,
        `const users = new MongoClient('mongodb://localhost').db('app').collection('users');
server.registerTool('find', { inputSchema: { age: z.string() } }, async ({ age }) => {
  const found = await users.find({ age: { $gt: Number(age) } }).toArray();
  return { content: [{ type: 'text', text: JSON.stringify(found) }] };
});`,
      ),
    ],
  },
  'The caller can change the query.',
);
