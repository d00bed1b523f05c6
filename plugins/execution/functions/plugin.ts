import { resolve } from 'node:path';
import {
  AccessControl,
  Clock,
  Database,
  definePlugin,
  Expressions,
  HttpRoutes,
  Log,
  provide,
  type Resolve,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { RunFigures, WorkflowKinds } from '../../engine/runs/contract.ts';
import { DocumentWorkers } from '../../platform/expressions/contract.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { Scopes } from '../../security/access/contract.ts';
import { AgentServer, AgentStats, Executors } from '../agents/contract.ts';
import { Replay } from '../replay/contract.ts';
import { PassCallers } from '../scripts/contract.ts';
import { readRetainSettings } from './domain/retain-settings.ts';
import { createFunctionExecutor } from './executor/function-executor.ts';
import { createAttachedSource, createFileSource } from './executor/program-source.ts';
import { FunctionPrograms } from './executor/programs.ts';
import { functionTables } from './migrations/0001-functions.ts';
import { concurrencyColumn } from './migrations/0002-concurrency.ts';
import { flowColumn } from './migrations/0003-flow.ts';
import manifest from './plugin.json' with { type: 'json' };
import { functionRoutes } from './routes.ts';
import { FunctionDirectory, httpRegistry, inProcessRegistry } from './service/directory.ts';
import { SchemaChecks } from './service/schema-checks.ts';
import { FunctionTable } from './store/function-table.ts';
import { functionWorkflow } from './workflow/function-workflow.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([functionTables, concurrencyColumn, flowColumn]);
  const table = plugin.own((use) => new FunctionTable(use(Database)));
  const checks = plugin.own((use) => new SchemaChecks(() => use(DocumentWorkers)));
  const directory = plugin.own(
    provide(FunctionDirectory, {
      table,
      checks,
      expressions: Expressions,
      agents: AgentStats,
      runs: RunFigures,
      access: AccessControl,
      scopes: Scopes,
      writes: AuditedWrites,
    }),
  );
  const programs = plugin.own((use) => openPrograms(use, () => directory(use)));
  plugin.contribute(WorkflowKinds, (use) => functionWorkflow(directory(use), use(Expressions)));
  plugin.contribute(HttpRoutes, (use) => functionRoutes(directory(use), use(Database)));
  plugin.contribute(
    Executors,
    provide(createFunctionExecutor, {
      programs: (use) => () => programs(use),
      callers: PassCallers,
      replay: Replay,
      clock: Clock,
      retain: (use) => () => readRetainSettings(use(Settings).env),
    }),
  );
});

/** The programs that `svc worker` or `svc dev --worker` names; undefined for an agent without any. */
function openPrograms(use: Resolve, directory: () => FunctionDirectory): FunctionPrograms | undefined {
  const { env, role } = use(Settings);
  const { SVC_WORKER_FILES: files = '', SVC_WORKER_MAIN: main } = env;
  if (files === '' && main === undefined) return undefined;
  const deps = { clock: use(Clock), log: use(Log).child({ part: 'worker' }) };
  const source =
    main === undefined
      ? createFileSource(
          files.split(':').map((file) => resolve(file)),
          { ...deps, env, node: process.execPath },
        )
      : createAttachedSource(main, deps);
  return new FunctionPrograms({
    ...deps,
    source,
    registry: role === 'agent' ? httpRegistry(() => use(AgentServer)) : inProcessRegistry(directory),
    reload: env.SVC_WORKER_RELOAD === 'on',
  });
}
