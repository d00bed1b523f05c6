import type { Migration } from '../../../kernel/contracts/index.ts';
import { runsTables } from './0001-runs.ts';
import { activityTables } from './0002-activities.ts';
import { logTables } from './0003-logs.ts';
import { credentialColumns } from './0004-credentials.ts';

export const runsMigrations: readonly Migration[] = [runsTables, activityTables, logTables, credentialColumns];
