import type { Row } from '../row.js';
import { accessRows } from './access.js';
import { authRows } from './auth.js';
import { flowRows } from './flows.js';
import { httpRows } from './http.js';
import { localMcpRows } from './mcp-local.js';
import { remoteMcpRows } from './mcp-remote.js';
import { openapiRows } from './openapi.js';
import { recordRows } from './records.js';
import { serverRows } from './server.js';
import { toolRows } from './tool.js';

/** Rows by the file that proves them: files run beside each other. */
export const gatewayRows: readonly Row[] = [
  ...serverRows,
  ...authRows,
  ...accessRows,
  ...flowRows,
  ...toolRows,
  ...recordRows,
];
export const httpSourceRows: readonly Row[] = [...httpRows, ...openapiRows];
export const mcpSourceRows: readonly Row[] = [...localMcpRows, ...remoteMcpRows];

export const rows: readonly Row[] = [...gatewayRows, ...httpSourceRows, ...mcpSourceRows];
export { unseen } from './unseen.js';
