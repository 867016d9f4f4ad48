import type { Expr, Module } from '../ir/nodes.js';
import { dottedName } from '../ir/names.js';
import { pythonCase, scriptCase } from './cases.js';
import { eachExpr, nodeAt, servedModules } from './literals.js';
import type { Finding, Rule, Scanned } from './rule.js';

const listens =
  /(?:^|\.)(?:listen|run|run_async|run_http_async|run_sse_async|serve|start|FastMCP|MCPServer|Config|TCPSite|createServer)$/;

const anyAddress = /0\.0\.0\.0|['"]::['"]/;

/** Every call with one of these addresses in its arguments. */
function bindings(module: Module): Expr[] {
  const found: Expr[] = [];
  eachExpr(
    module,
    (expr) => {
      if (expr.kind !== 'call' || !listens.test(dottedName(expr.callee) ?? '')) return;
      const values = expr.args.flatMap(({ value }) =>
        value.kind === 'dict' ? value.entries.map((entry) => entry.value) : [value],
      );
      if (values.some((value) => value.kind === 'literal' && (value.value === '0.0.0.0' || value.value === '::')))
        found.push(expr);
    },
    (text) => anyAddress.test(text),
  );
  return found;
}

/** The server listens to the whole network. */
export const bindAll: Rule = {
  id: 'TG-BIND-ALL',
  title: 'The server listens on all interfaces',
  severity: 'medium',
  cwe: [668, 1327],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: 'Everybody on the same network can call the tools.',
  mend: 'Listen on 127.0.0.1 and let a proxy with authentication stand before it.',
  cases: [
    pythonCase(
      '',
      'mcp2 = FastMCP("b", host="0.0.0.0", port=8000)',
      'mcp2 = FastMCP("b", host="127.0.0.1", port=8000)',
    ),
    scriptCase(
      'import express from "express";',
      "const app = express();\napp.listen(3000, '0.0.0.0');",
      "const app = express();\napp.listen(3000, '127.0.0.1');",
    ),
  ],
  find: (scanned) =>
    servedModules(scanned)
      .filter((module) => anyAddress.test(module.text))
      .flatMap((module) =>
        bindings(module).map((expr): Finding => ({
          rule: bindAll.id,
          kind: 'bug',
          severity: 'medium',
          message: 'The server listens on all interfaces',
          location: nodeAt(module, expr),
        })),
      ),
};

const speaksOfOrigins = /allow_origins|Access-Control-Allow-Origin|\bcors\b/i;

/** Any web page may talk to the server. */
export const corsAny: Rule = {
  id: 'TG-CORS-ANY',
  title: 'Any web page may call the server',
  severity: 'low',
  cwe: [942, 346],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: "A page in the user's browser can reach a server on their machine and read its answers.",
  mend: 'Name the origins that may call.',
  cases: [
    pythonCase(
      'from starlette.middleware.cors import CORSMiddleware\nfrom starlette.applications import Starlette',
      'app = Starlette()\napp.add_middleware(CORSMiddleware, allow_origins=["*"])',
      'app = Starlette()\napp.add_middleware(CORSMiddleware, allow_origins=["https://app.example.com"])',
    ),
    scriptCase(
      'import cors from "cors";\nimport express from "express";',
      "const app = express();\napp.use(cors({ origin: '*' }));",
      "const app = express();\napp.use(cors({ origin: 'https://app.example.com' }));",
    ),
  ],
  find: (scanned) =>
    servedModules(scanned)
      .filter((module) => module.text.length < 1_000_000 && speaksOfOrigins.test(module.text))
      .flatMap((module) => {
        const found: Finding[] = [];
        const add = (expr: Expr): void =>
          void found.push({
            rule: corsAny.id,
            kind: 'bug',
            severity: 'low',
            message: 'Any web page may call the server',
            location: nodeAt(module, expr),
          });
        eachExpr(
          module,
          (expr) => {
            if (expr.kind !== 'call') return;
            const name = dottedName(expr.callee) ?? '';
            const text = module.text.slice(expr.start, Math.min(expr.end, expr.start + 600));
            if (name === 'cors' && (expr.args.length === 0 || /origin:\s*(?:['"]\*['"]|true)/.test(text))) add(expr);
            else if (
              /add_middleware$|CORSMiddleware$|Middleware$/.test(name) &&
              /allow_origins\s*=\s*\[\s*["']\*["']/.test(text)
            )
              add(expr);
            else if (
              /(?:setHeader|header|set|writeHead)$/.test(name) &&
              /Access-Control-Allow-Origin['"]\s*[,:]\s*['"]\*['"]/i.test(text)
            )
              add(expr);
          },
          (text) => speaksOfOrigins.test(text),
        );
        return found.slice(0, 3);
      }),
};

const checksWho =
  /\b(?:authorization|bearer|api[_-]?key|apikey|requireAuth|requireBearerAuth|auth|oauth|jwt|verify[_-]?token|session|cookie|x-api-key|TokenVerifier|BearerAuthProvider)\b/i;

const overHttp = (scanned: Scanned): boolean =>
  scanned.surface.transports.includes('http') && scanned.surface.tools.length > 0;

/** The server answers anybody who can reach its port. */
export const noAuth: Rule = {
  id: 'TG-HTTP-NO-AUTH',
  title: 'The server is offered over HTTP without any sign of authentication',
  severity: 'low',
  cwe: [306],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: 'A port on the own machine is open to every program and, through the browser, to every page.',
  mend: 'Ask for a token on every request, or speak over stdio.',
  cases: [
    {
      language: 'python',
      bad: 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("demo")\n\n@mcp.tool()\ndef add(a: int) -> int:\n    return a\n\nif __name__ == "__main__":\n    mcp.run(transport="streamable-http")\n',
      good: 'from mcp.server.fastmcp import FastMCP\nmcp = FastMCP("demo")\n\n@mcp.tool()\ndef add(a: int) -> int:\n    return a\n\nif __name__ == "__main__":\n    mcp.run()\n',
    },
  ],
  find: (scanned) => {
    if (!overHttp(scanned)) return [];
    const modules = servedModules(scanned);
    if (scanned.surface.authSignals.length > 0 || modules.some((module) => checksWho.test(module.text))) return [];
    const [tool] = scanned.surface.tools;
    const file = tool?.location.file ?? modules[0]?.path ?? '.';
    return [
      {
        rule: noAuth.id,
        kind: 'bug',
        severity: 'low',
        message: 'The server is offered over HTTP and nothing in it asks who is calling',
        location: { file, startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
      },
    ];
  },
};

/** A web page can reach the server by a name of its own. */
export const noOrigin: Rule = {
  id: 'TG-NO-ORIGIN-CHECK',
  title: 'The HTTP transport does not check Host or Origin',
  severity: 'low',
  cwe: [346, 350],
  owasp: ['MCP07:2025 Insufficient Authentication and Authorization'],
  safeMcp: ['SAFE-T1005'],
  why: "By DNS rebinding a page reaches a server on the user's machine as if it were its own.",
  mend: 'Set allowedHosts and enableDnsRebindingProtection, or check Origin and Host before the transport.',
  cases: [
    scriptCase(
      'import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";',
      'const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });\nawait server.connect(transport);',
      'const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableDnsRebindingProtection: true, allowedHosts: ["127.0.0.1:3000"] });\nawait server.connect(transport);',
    ),
  ],
  find: (scanned) =>
    servedModules(scanned)
      .filter((module) => module.language !== 'python' && module.text.length < 600_000)
      .flatMap((module) => {
        const found: Finding[] = [];
        if (
          /allowedHosts|enableDnsRebindingProtection|allowedOrigins|\borigin\b|hostHeaderValidation|createMcpExpressApp/i.test(
            module.text,
          )
        )
          return found;
        eachExpr(
          module,
          (expr) => {
            if (
              expr.kind === 'call' &&
              expr.isNew &&
              /^(?:StreamableHTTPServerTransport|SSEServerTransport)$/.test(dottedName(expr.callee) ?? '')
            )
              found.push({
                rule: noOrigin.id,
                kind: 'bug',
                severity: 'low',
                message: 'This transport answers whatever Host and Origin a request names',
                location: nodeAt(module, expr),
              });
          },
          (text) => text.includes('ServerTransport'),
        );
        return found.slice(0, 1);
      }),
};
