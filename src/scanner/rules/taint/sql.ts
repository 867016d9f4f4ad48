import { pythonCase, scriptCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds caller input in SQL statements (SQL injection). */
export const taintSql = taintRule(
  'sql',
  {
    id: 'TG-TAINT-SQL',
    title: 'A parameter becomes part of an SQL statement',
    severity: 'high',
    cwe: [89],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1101', 'SAFE-T1803'],
    why: 'Text inserted into a statement changes what the statement does and can expose the whole database.',
    fix: 'Pass values as statement parameters; take table and column names from an allow-list.',
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
  'The caller can change the statement.',
);
