import type { Rule } from './rule.js';
import { taintArchive } from './taint-archive.js';
import { taintCode } from './taint-code.js';
import { taintCommand } from './taint-command.js';
import { taintDeserialise } from './taint-deserialise.js';
import { taintModule } from './taint-module.js';
import { taintPath } from './taint-path.js';
import { taintQuery } from './taint-query.js';
import { taintSql } from './taint-sql.js';
import { taintTemplate } from './taint-template.js';
import { taintUrl } from './taint-url.js';

/** Every rule; a new one is one file and one line here. */
export const rules: readonly Rule[] = [
  taintCommand, taintCode, taintPath, taintUrl, taintSql, taintDeserialise, taintTemplate, taintQuery, taintModule, taintArchive,
];
