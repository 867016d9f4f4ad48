import type { FunctionComponent } from 'preact';
import type { IconName } from '../parts/icons.js';
import { ApprovalsPage } from './approvals.js';
import { AuditPage } from './audit.js';
import { CallPage } from './call.js';
import { CallsPage } from './calls.js';
import { ConnectPage } from './connect.js';
import { DoctorPage } from './doctor.js';
import { KeysPage } from './keys.js';
import { MetricsPage } from './metrics.js';
import { NowPage } from './now.js';
import { PolicyPage } from './policy.js';
import { SourcesPage } from './sources.js';
import { ToolsPage } from './tools.js';

/** Parameters in the path of a page. */
export interface PageParams {
  readonly id?: string;
  readonly name?: string;
}

/** A page of the console: one file and one line here. */
export interface PageEntry {
  readonly title: string;
  /** The first path is the one of the navigation. */
  readonly paths: readonly string[];
  /** Absent: not in the navigation. */
  readonly icon?: IconName;
  /** Second key after `g`. */
  readonly key?: string;
  /** Shown to administrators only; the routes behind it refuse everybody else anyway. */
  readonly admin?: boolean;
  /** The list stays while the detail beside it changes. */
  readonly keepsList?: boolean;
  readonly Page: FunctionComponent<PageParams>;
}

export const pages: readonly PageEntry[] = [
  { title: 'Now', paths: ['/'], icon: 'now', key: 'n', Page: NowPage },
  {
    title: 'Approvals',
    paths: ['/approvals', '/approvals/{id}'],
    icon: 'inbox',
    key: 'a',
    keepsList: true,
    Page: ApprovalsPage,
  },
  { title: 'Calls', paths: ['/calls'], icon: 'calls', key: 'c', Page: CallsPage },
  { title: 'Call', paths: ['/calls/{id}'], Page: CallPage },
  { title: 'Tools', paths: ['/tools', '/tools/{name}'], icon: 'tools', key: 't', Page: ToolsPage },
  { title: 'Sources', paths: ['/sources', '/sources/{id}'], icon: 'sources', key: 's', admin: true, Page: SourcesPage },
  { title: 'Policy', paths: ['/policy'], icon: 'policy', key: 'p', admin: true, Page: PolicyPage },
  { title: 'Audit', paths: ['/audit'], icon: 'audit', key: 'u', admin: true, Page: AuditPage },
  { title: 'Metrics', paths: ['/metrics'], icon: 'metrics', key: 'm', admin: true, Page: MetricsPage },
  { title: 'Doctor', paths: ['/doctor'], icon: 'doctor', key: 'd', admin: true, Page: DoctorPage },
  {
    title: 'Connect',
    paths: ['/connect', '/connect/{id}'],
    icon: 'connect',
    key: 'o',
    admin: true,
    keepsList: true,
    Page: ConnectPage,
  },
  { title: 'Keys', paths: ['/keys'], icon: 'keys', key: 'k', admin: true, Page: KeysPage },
];
