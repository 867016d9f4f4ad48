import { pythonCase } from '../cases.js';
import { taintRule } from './taint.js';

/** Finds archives chosen by the caller that are unpacked without checking entry names (Zip Slip). */
export const taintArchive = taintRule(
  'archive',
  {
    id: 'TG-TAINT-ARCHIVE',
    title: 'An archive is unpacked without checking entry names',
    severity: 'high',
    cwe: [22],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1105'],
    why: 'Entry names such as `../../.ssh/authorized_keys` are written outside the target folder (Zip Slip).',
    fix: 'Pass filter="data" to extractall, or check the resolved path of every entry.',
    cases: [
      pythonCase(
        'import tarfile',
        `@mcp.tool()
def unpack(archive: str) -> str:
    """Unpacks an upload."""
    with tarfile.open(archive) as tar:
        tar.extractall("/srv/uploads")
    return "done"`,
        `import os

@mcp.tool()
def unpack(archive: str) -> str:
    """Unpacks an upload."""
    with tarfile.open(os.path.join("/srv/incoming", os.path.basename(archive))) as tar:
        tar.extractall("/srv/uploads", filter="data")
    return "done"`,
      ),
    ],
  },
  'Entries can be written outside the target folder.',
);
