/** The scanner: reads MCP servers in Python, JavaScript and TypeScript without running them. */
export type { Arg, ClassNode, Expr, FunctionNode, Language, Module, Param, Pattern, Spot, Stmt } from './ir/nodes.js';
export { locationOf, positionAt, type Location } from './ir/positions.js';
export { walk, walkExpr, walkFunction, type Visitor } from './ir/walk.js';
export { boundNames, dottedName } from './ir/names.js';
export { isCode, parseModule } from './languages/index.js';
export { defaultLimits, loadProject, type Project, type ProjectLimits } from './project/load.js';
export { scanSurface, surfaceOf, type SurfaceOptions } from './surface/scan.js';
export type { AuthSignal, InputSchema, ReportHandler, ReportLocation, ReportPrompt, ReportResource, ReportSdk, ReportTool, SurfaceReport, Transport, Unresolved } from './surface/report.js';
export { formatSurfaceJson } from './reporters/surface-json.js';
export { formatSurfaceText } from './reporters/surface-text.js';
