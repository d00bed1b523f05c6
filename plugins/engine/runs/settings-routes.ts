import {
  ADMIN,
  type Database,
  Errors,
  formatDuration,
  parseDuration,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { type Audit, auditSource } from '../../platform/audit/contract.ts';
import { timeoutFault } from './domain/timeout.ts';
import type { RunSettings as Body } from './generated/run-settings.ts';
import schema from './schema/run-settings.schema.json' with { type: 'json' };
import type { ProjectSettings, RunSettings } from './store/submit/settings.ts';

export interface SettingsDeps {
  database: Database;
  audit: Pick<Audit, 'record'>;
  settings: RunSettings;
}

const PATH = `${SCOPED}/run-settings`;

const viewOf = ({ timeout_ms }: ProjectSettings): Body => ({
  timeout: timeout_ms === undefined ? null : formatDuration(timeout_ms),
});

/** What a project says of its runs. */
export const settingsRoutes = ({ database, audit, settings }: SettingsDeps): Route[] => [
  {
    method: 'GET',
    path: PATH,
    operation: 'getRunSettings',
    summary: "Show the project's run settings",
    access: VIEWER,
    responses: { 200: { description: 'The settings.', schema } },
    handle: async ({ scope }) => ({ status: 200, json: viewOf(await settings.read(database, scope.project_id)) }),
  },
  {
    method: 'PUT',
    path: PATH,
    operation: 'putRunSettings',
    summary: "Change the project's settings for future runs",
    access: ADMIN,
    body: schema,
    responses: { 200: { description: 'The settings.', schema } },
    async handle(request) {
      const { timeout } = request.body as Body;
      const message = timeout === null ? undefined : timeoutFault(timeout);
      if (message !== undefined)
        throw Errors.invalidRequest(`timeout ${message}; for no timeout, send null (svc runs timeout none)`, {
          errors: [{ pointer: '/timeout', message }],
        });
      const { org_id, project_id } = request.scope;
      const changed = { timeout_ms: timeout === null ? undefined : parseDuration(timeout) };
      await database.transaction(async (tx) => {
        await settings.write(tx, request.scope, changed);
        await audit.record(tx, {
          ...auditSource(request),
          ...{ org_id, project_id, action: 'run_settings.set', subject: 'timeout' },
          detail: viewOf(changed).timeout ?? 'none',
        });
      });
      return { status: 200, json: viewOf(changed) };
    },
  },
];
