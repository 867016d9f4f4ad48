import { backdoor } from './malware/backdoor.js';
import { exposure } from './exposure.js';
import { hiddenCharacters } from './surface/hidden-characters.js';
import { installScripts } from './malware/install-scripts.js';
import { destruction } from './malware/destruction.js';
import { mismatch } from './surface/mismatch.js';
import { exfiltration } from './malware/exfiltration.js';
import { rugPull } from './surface/rug-pull.js';
import { obfuscation } from './malware/obfuscation.js';
import { persistence } from './malware/persistence.js';
import { poisoning } from './surface/poisoning.js';
import type { Rule } from './rule.js';
import { secret } from './secret.js';
import { shadowing } from './surface/shadowing.js';
import { symlink } from './symlink.js';
import { taintArchive } from './taint/archive.js';
import { taintArgument } from './taint/argument.js';
import { taintCode } from './taint/code.js';
import { taintCommand } from './taint/command.js';
import { taintDeserialise } from './taint/deserialise.js';
import { taintModule } from './taint/module.js';
import { taintPath } from './taint/path.js';
import { taintQuery } from './taint/query.js';
import { taintSql } from './taint/sql.js';
import { taintTemplate } from './taint/template.js';
import { taintUrl } from './taint/url.js';
import { toxicFlow } from './surface/toxic-flow.js';
import { bindAll, corsAny, noAuth, noOrigin } from './transport.js';

/** All rules; a new rule is one file plus one line here. */
export const rules: readonly Rule[] = [
  taintCommand,
  taintCode,
  taintPath,
  taintUrl,
  taintSql,
  taintDeserialise,
  taintTemplate,
  taintQuery,
  taintModule,
  taintArchive,
  taintArgument,
  symlink,
  poisoning,
  hiddenCharacters,
  exfiltration,
  destruction,
  mismatch,
  backdoor,
  persistence,
  installScripts,
  rugPull,
  obfuscation,
  secret,
  exposure,
  shadowing,
  toxicFlow,
  bindAll,
  corsAny,
  noAuth,
  noOrigin,
];
