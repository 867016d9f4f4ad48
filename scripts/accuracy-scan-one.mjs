// Scans one folder with its dependencies, as `toolgate scan npm:…` does, and prints the report with CPU and memory used.
import { fetchDependencies } from '../dist/cli/scan/dependencies.js';
import { scan } from '../dist/scanner/index.js';

const report = await scan(process.argv[2], { heuristics: false, dependencies: fetchDependencies() });
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const { verdict, findings, gaps, surface } = report;
const used = { cpu: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 };
process.stdout.write(JSON.stringify({ report: { verdict, findings, gaps, surface }, used }));
