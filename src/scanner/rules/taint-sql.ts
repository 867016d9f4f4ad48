import { pythonCase, scriptCase } from './cases.js';
import { taintRule } from './taint.js';

/** A caller's text becomes part of a database statement. */
export const taintSql = taintRule(
  'sql',
  {
    id: 'TG-TAINT-SQL',
    title: 'A parameter becomes part of a database statement',
    severity: 'high',
    cwe: [89],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101', 'SAFE-T1803'],
    why: 'Text put into a statement changes what the statement does; the whole database is then open.',
    mend: 'Pass values as parameters of the statement; take table and column names from a fixed list.',
    cases: [
      pythonCase(
        'import sqlite3',
        `db = sqlite3.connect("app.db")

@mcp.tool()
def find_user(name: str) -> str:
    """Finds a user."""
    return str(db.execute(f"SELECT id FROM users WHERE name = '{name}'").fetchall())`,
        `db = sqlite3.connect("app.db")

@mcp.tool()
def find_user(name: str) -> str:
    """Finds a user."""
    return str(db.execute("SELECT id FROM users WHERE name = ?", (name,)).fetchall())`,
      ),
      scriptCase(
        'import pg from "pg";',
        `const pool = new pg.Pool();
server.registerTool('find_user', { inputSchema: { name: z.string() } }, async ({ name }) => {
  const { rows } = await pool.query(\`SELECT id FROM users WHERE name = '\${name}'\`);
  return { content: [{ type: 'text', text: JSON.stringify(rows) }] };
});`,
        `const pool = new pg.Pool();
server.registerTool('find_user', { inputSchema: { name: z.string() } }, async ({ name }) => {
  const { rows } = await pool.query('SELECT id FROM users WHERE name = $1', [name]);
  return { content: [{ type: 'text', text: JSON.stringify(rows) }] };
});`,
      ),
    ],
  },
  'The statement can be turned into another one.',
);
