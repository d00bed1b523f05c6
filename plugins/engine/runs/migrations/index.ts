import type { Migration } from '../../../../kernel/contracts/index.ts';
import { runsTables } from './0001-runs.ts';
import { activityTables } from './0002-activities.ts';
import { logTables } from './0003-logs.ts';
import { credentialColumns } from './0004-credentials.ts';
import { eventColumns } from './0005-events.ts';
import { childColumns } from './0006-children.ts';
import { cellVersionTables } from './0007-cell-versions.ts';
import { retentionTables } from './0008-retention.ts';
import { lossColumns } from './0009-losses.ts';
import { coordinationColumns } from './0010-coordination.ts';
import { pinColumns } from './0011-pins.ts';
import { lockVersions } from './0012-lock-versions.ts';
import { usedSources } from './0013-used-sources.ts';
import { callTables } from './0014-calls.ts';
import { laneExecutors } from './0015-lane-executors.ts';
import { originColumns } from './0016-origins.ts';
import { narrowIndexes } from './0017-narrow-indexes.ts';
import { clusteredTables } from './0018-clustered.ts';
import { logSites } from './0019-log-sites.ts';
import { attemptTables } from './0020-attempts.ts';
import { runTimeouts } from './0021-run-timeouts.ts';
import { fewerIndexes } from './0022-fewer-indexes.ts';
import { underWayTable } from './0023-under-way.ts';
import { includedFiles } from './0024-included-files.ts';
import { traceColumns } from './0026-traces.ts';
import { callRoots } from './0027-call-roots.ts';
import { untrustedLanes } from './0029-untrusted-lanes.ts';
import { boundTables } from './0030-bounds.ts';
import { largeLast } from './0031-order.ts';
import { outputsApart } from './0032-outputs.ts';
import { beginnings } from './0033-beginnings.ts';
import { callBytes } from './0034-call-bytes.ts';
import { checkoutColumn } from './0035-checkouts.ts';
import { settingsTable } from './0036-run-settings.ts';
import { idleLanes } from './0037-idle-lanes.ts';
import { dueWaits } from './0038-due-waits.ts';
import { overdueRuns } from './0039-overdue-runs.ts';
import { answerColumns } from './0040-answers.ts';
import { pauseColumns } from './0041-pauses.ts';
import { sealedResults } from './0044-results.ts';
import { priorities } from './0045-priorities.ts';

export const runsMigrations: readonly Migration[] = [
  runsTables,
  activityTables,
  logTables,
  credentialColumns,
  eventColumns,
  childColumns,
  cellVersionTables,
  retentionTables,
  lossColumns,
  coordinationColumns,
  pinColumns,
  lockVersions,
  usedSources,
  callTables,
  laneExecutors,
  originColumns,
  narrowIndexes,
  clusteredTables,
  logSites,
  attemptTables,
  runTimeouts,
  fewerIndexes,
  underWayTable,
  includedFiles,
  traceColumns,
  callRoots,
  untrustedLanes,
  boundTables,
  largeLast,
  outputsApart,
  beginnings,
  callBytes,
  checkoutColumn,
  settingsTable,
  idleLanes,
  dueWaits,
  overdueRuns,
  answerColumns,
  pauseColumns,
  sealedResults,
  priorities,
];
