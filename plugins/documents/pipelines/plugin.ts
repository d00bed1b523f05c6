import {
  childLog,
  Clock,
  Database,
  deferred,
  definePlugin,
  Expressions,
  provide,
  type Resolve,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { Executors } from '../../execution/agents/contract.ts';
import { CredentialStates } from '../../secrets/credentials/contract.ts';
import { Variables } from '../../secrets/variables/contract.ts';
import { DocumentWorkers } from '../../platform/expressions/contract.ts';
import { FlowLanguages, FlowNodes, Flows } from '../../engine/flows/contract.ts';
import { LeaseOwners, Leases } from '../../execution/locks/contract.ts';
import {
  checksCredentials,
  JobEnvironment,
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
} from '../../engine/runs/contract.ts';
import { ProgramsFactory, RepositorySources, ScriptOutlines, Verbs } from '../../execution/scripts/contract.ts';
import { leaseOwners, leaseWaitKind, runConcurrencyWaitKind } from './concurrency/lease-wait.ts';
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
import { questionNode } from './service/question-node.ts';
import { readNode } from './service/read-node.ts';
import { pipelineKind } from './service/kind.ts';

const makeSuperseder = provide(Superseder, {
  database: Database,
  leases: Leases,
  store: RunStore,
  wakeups: Wakeups,
  clock: Clock,
  log: childLog('concurrency'),
});

const makeCheckouts = (use: Resolve) =>
  jobCheckouts(
    () => use.all(RepositorySources),
    () => use(RunOrigins),
  );

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([supersessionTable]);
  const superseder = plugin.own(makeSuperseder);
  plugin.contribute(
    WorkflowKinds,
    provide(pipelineKind, {
      flows: deferred(Flows),
      reader: (use) => new PipelineReader({ expressions: () => use(Expressions), workers: () => use(DocumentWorkers) }),
      engine: deferred(RunEngine),
      outlines: deferred(ScriptOutlines),
      variables: (use) => () => (scope) => use(Variables).namesOf(use(Database), scope),
      credential_checks: (use) => () => use.all(JobEnvironment).filter(checksCredentials),
      credentials: (use) => () => ({ states: use(CredentialStates), database: use(Database) }),
    }),
  );
  plugin.contribute(FlowLanguages, (use) => pipelineLanguage(() => use(Expressions)));
  plugin.contribute(FlowNodes, (use) => [
    jobNode(makeCheckouts(use), () => use(RunLimits)),
    callNode(() => use(RunCreation), makeCheckouts(use)),
    readNode(() => use.all(FlowNodes)),
    questionNode,
    leaseNode,
    releaseNode(() => use(Leases)),
  ]);
  for (const kind of [leaseWaitKind, runConcurrencyWaitKind])
    plugin.contribute(
      WaitKinds,
      provide(kind, {
        leases: deferred(Leases),
        now: (use) => () => use(Database).now(),
        wakeSuperseder: (use) => () => superseder(use).wake(),
      }),
    );
  plugin.contribute(LeaseOwners, (use) => leaseOwners(() => use(WaitResolver)));
  plugin.contribute(RunTables, () => ({ table: 'pipelines_supersessions', column: 'run_id' }));
  plugin.contribute(
    Executors,
    provide(createJobExecutor, {
      clock: Clock,
      expressions: Expressions,
      programs: (use) => use(ProgramsFactory)(),
      verbs: (use) => () => use.all(Verbs),
    }),
  );
  plugin.onStart(SERVER_ROLES, async (use) => superseder(use).start());
});
