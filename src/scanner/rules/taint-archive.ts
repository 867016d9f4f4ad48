import { pythonCase } from './cases.js';
import { taintRule } from './taint.js';

/** An archive of the caller's choice is unpacked without holding its entries to a folder. */
export const taintArchive = taintRule(
  'archive',
  {
    id: 'TG-TAINT-ARCHIVE',
    title: 'An archive is unpacked without looking at the names inside',
    severity: 'high',
    cwe: [22],
    owasp: ['MCP05:2025 Command Injection and Execution'],
    safeMcp: ['SAFE-T1105'],
    why: 'Names such as `../../.ssh/authorized_keys` inside an archive are written where they say.',
    mend: 'Pass filter="data" to extractall, or check the resolved place of every entry.',
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
  'Entries can be written outside the folder.',
);
