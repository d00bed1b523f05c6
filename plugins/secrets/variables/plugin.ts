import { Database, definePlugin, HttpRoutes, Ids, provide } from '../../../kernel/contracts/index.ts';
import { RunValues } from '../../engine/flows/contract.ts';
import { JobEnvironment, RunTables, SharedContents, SubmitObservers } from '../../engine/runs/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { RecordedVariables, Variables } from './contract.ts';
import { variableTables } from './migrations/0001-variables.ts';
import manifest from './plugin.json' with { type: 'json' };
import { variableRoutes } from './routes.ts';
import { RunVariables } from './service/run-variables.ts';
import { VariableService } from './service/variable-service.ts';
import { removeUnseen } from './store/run-values.ts';

const makeService = provide(VariableService, { database: Database, ids: Ids, audit: Audit });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([variableTables]);
  plugin.bind(Variables, makeService);
  const of_runs = plugin.own(provide(RunVariables, { database: Database }));
  plugin.bind(RecordedVariables, of_runs);
  plugin.contribute(HttpRoutes, (use) => variableRoutes(makeService(use)));
  plugin.contribute(SubmitObservers, (use) => of_runs(use).observer);
  plugin.contribute(RunValues, (use) => of_runs(use).values);
  plugin.contribute(JobEnvironment, (use) => of_runs(use).environment);
  plugin.contribute(RunTables, () => ({ table: 'variables_runs', column: 'run_id' }));
  plugin.contribute(SharedContents, (use) => ({
    name: 'variables',
    remove: (before, limit) => removeUnseen(use(Database), before, limit),
  }));
});
