/** Public API of the scanner: static analysis of MCP servers in Python, JavaScript and TypeScript. */
export type { Arg, ClassNode, Expr, FunctionNode, Language, Module, Param, Pattern, Spot, Stmt } from './ir/nodes.js';
export { locationOf, positionAt, type Location } from './ir/positions.js';
export { walk, walkExpr, walkFunction, type Visitor } from './ir/walk.js';
export { boundNames, dottedName } from './ir/names.js';
export { isCode, parseModule } from './languages/index.js';
export { defaultLimits, loadProject, type Project, type ProjectLimits } from './project/load.js';
export { scanSurface, surfaceOf, type SurfaceOptions } from './surface/scan.js';
export type {
  AuthSignal,
  InputSchema,
  ReportHandler,
  ReportLocation,
  ReportPrompt,
  ReportResource,
  ReportSdk,
  ReportTool,
  SurfaceReport,
  Transport,
  Unresolved,
} from './surface/report.js';
export { formatSurfaceJson } from './reporters/surface-json.js';
export { formatSurfaceText } from './reporters/surface-text.js';
export type { FetchPackage } from './dependencies/rings.js';
export { scan, scanProject, surfaceHash, type ScanOptions } from './scan.js';
export {
  isOpen,
  type Capability,
  type Gap,
  type ReportFinding,
  type ScanReport,
  type ToolCapabilities,
} from './report.js';
export type { Classifier, ClassifierVerdict, DescribedItem } from './classifier.js';
export { rules } from './rules/index.js';
export { explainRule, rulePage } from './rules/rule-page.js';
export { severities, type Finding, type Rule, type Severity } from './rules/rule.js';
export { formatScanJson } from './reporters/findings-json.js';
export { formatScanMarkdown } from './reporters/findings-markdown.js';
export { formatScanText } from './reporters/findings-text.js';
export { formatScanHtml, type NamedReport } from './reporters/findings-html.js';
export { formatDifferenceJson, formatDifferenceText } from './reporters/difference.js';
export { compareScans, type ScanDifference } from './difference.js';
export { scanLive, type LiveItem, type LiveServer } from './live-surface.js';
export { formatSarif, formatSarifRuns } from './reporters/sarif.js';
export { defaultArchiveLimits, unpack, type ArchiveLimits } from './archives/unpack.js';
export { admit, defaultAdmission, type Admission, type AdmissionPolicy, type Decision } from './admission/admit.js';
export { compareSurface, type Difference, type LiveTool } from './admission/compare.js';
