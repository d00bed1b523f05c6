import {
  Clock,
  Database,
  definePlugin,
  Expressions,
  Log,
  type Resolve,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { Executors } from '../agents/contract.ts';
import { CredentialStates } from '../credentials/contract.ts';
import { DocumentWorkers } from '../expressions/contract.ts';
import { FlowLanguages, FlowNodes, Flows } from '../flows/contract.ts';
import { LeaseOwners, Leases } from '../locks/contract.ts';
import {
  CredentialChecks,
  RunCreation,
  RunEngine,
  RunLimits,
  RunOrigins,
  RunStore,
  RunTables,
  WaitKinds,
  WaitResolver,
  Wakeups,
  WorkflowKinds,
} from '../runs/contract.ts';
import { MakePrograms, RepositorySources, Verbs } from '../scripts/contract.ts';
import { leaseOwners, leaseWaitKind } from './concurrency/lease-wait.ts';
import { leaseNode, releaseNode } from './concurrency/nodes.ts';
import { Superseder } from './concurrency/superseder.ts';
import { PipelineReader } from './document/read.ts';
import { createJobExecutor } from './executor/job-executor.ts';
import { pipelineLanguage } from './language/language.ts';
import { supersessionTable } from './migrations/0001-supersessions.ts';
import manifest from './plugin.json' with { type: 'json' };
import { callNode } from './service/call-node.ts';
import { jobCheckouts } from './service/job-checkouts.ts';
import { jobNode } from './service/job-node.ts';
import { readNode } from './service/read-node.ts';
import { pipelineKind } from './service/kind.ts';

const makeSuperseder = (use: Resolve) =>
  new Superseder({
    database: use(Database),
    leases: use(Leases),
    store: use(RunStore),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'concurrency' }),
  });

const makeCheckouts = (use: Resolve) =>
  jobCheckouts(
    () => use.all(RepositorySources),
    () => use(RunOrigins),
  );

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([supersessionTable]);
  const superseder = plugin.own(makeSuperseder);
  plugin.contribute(WorkflowKinds, (use) =>
    pipelineKind({
      flows: () => use(Flows),
      reader: new PipelineReader({ expressions: () => use(Expressions), workers: () => use(DocumentWorkers) }),
      engine: () => use(RunEngine),
      credential_checks: () => use.all(CredentialChecks),
      credentials: () => ({ states: use(CredentialStates), database: use(Database) }),
    }),
  );
  plugin.contribute(FlowLanguages, (use) => pipelineLanguage(() => use(Expressions)));
  plugin.contribute(FlowNodes, (use) => [
    jobNode(makeCheckouts(use), () => use(RunLimits)),
    callNode(() => use(RunCreation), makeCheckouts(use)),
    readNode(() => use.all(FlowNodes)),
    leaseNode,
    releaseNode(() => use(Leases)),
  ]);
  plugin.contribute(WaitKinds, (use) =>
    leaseWaitKind({
      leases: () => use(Leases),
      now: () => use(Database).now(),
      superseding: () => superseder(use).wake(),
    }),
  );
  plugin.contribute(LeaseOwners, (use) => leaseOwners(() => use(WaitResolver)));
  plugin.contribute(RunTables, () => ({ table: 'pipelines_supersessions', column: 'run_id' }));
  plugin.contribute(Executors, (use) =>
    createJobExecutor({
      clock: use(Clock),
      expressions: use(Expressions),
      programs: use(MakePrograms)(),
      verbs: () => use.all(Verbs),
    }),
  );
  plugin.onStart(SERVER_ROLES, async (use) => superseder(use).start());
});
