import { fileURLToPath } from 'node:url';
import {
  AGENT_ROLES,
  Clock,
  definePlugin,
  Ids,
  LocalTools,
  Log,
  provide,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Executors } from '../agents/contract.ts';
import { Replay } from '../replay/contract.ts';
import { WorkflowKinds } from '../../engine/runs/contract.ts';
import { PassCallers, ProgramsFactory, RepositorySources, ScriptOutlines, Verbs } from './contract.ts';
import { agentPath } from './domain/environment.ts';
import { replayTool } from './dry/replay-tool.ts';
import { createCommandExecutor } from './executor/command-executor.ts';
import { AgentPrograms } from './executor/programs.ts';
import { createScriptExecutor } from './executor/script-executor.ts';
import { VerbClients } from './executor/verb-clients.ts';
import { Isolation } from './isolation/isolation.ts';
import { BashReader } from './lint/bash-reader.ts';
import { createBashSyntax } from './lint/bash-syntax.ts';
import { ScriptReview } from './lint/review.ts';
import { TreeReader } from './lint/tree-reader.ts';
import { releaseMemoryPeriodically } from './native/give-back.ts';
import { guardProcess } from './native/guard-process.ts';
import { ScriptOutliner } from './outline/outliner.ts';
import manifest from './plugin.json' with { type: 'json' };
import { createPassCallers } from './socket/pass-callers.ts';
import { RunUsers } from './users/run-users.ts';
import { verbs } from './verbs/index.ts';
import { scriptWorkflow } from './workflow/script-workflow.ts';

/** How long a script may take to end by itself when its pass is stopped. */
const GRACE_MS = 5000;
/** What `svc` runs inside a script when its first argument is not a verb. */
const CLI = fileURLToPath(new URL('../../../cli/main.mjs', import.meta.url));

export default definePlugin(manifest, (plugin) => {
  const clients = plugin.own(
    provide(VerbClients, { verbs: (use) => () => use.all(Verbs), cli: () => [process.execPath, CLI] }),
  );
  const users = plugin.own((use) => RunUsers.of({ env: use(Settings).env, ids: use(Ids), node: process.execPath }));
  const isolation = plugin.own((use) => {
    const { env, home } = use(Settings);
    return new Isolation({ env, home, ids: use(Ids), node: process.execPath, users: users(use) });
  });
  plugin.onInit(AGENT_ROLES, async (use) => {
    if (use(Settings).env.SVC_BUILTIN_AGENT !== 'off') await users(use)?.check();
  });
  const reader = plugin.own(provide(BashReader, { clock: Clock, log: Log, env: (use) => use(Settings).env }));
  plugin.onInit(SERVER_ROLES, async (use) => () => reader(use).close());
  plugin.onInit([...AGENT_ROLES, ...SERVER_ROLES], async (use) =>
    releaseMemoryPeriodically(use(Clock), await guardProcess(use(Settings), use(Log))),
  );
  plugin.contribute(Verbs, () => verbs);
  plugin.contribute(LocalTools, () => [replayTool]);
  const trees = plugin.own((use) => {
    const { env } = use(Settings);
    return new TreeReader({ env, path: agentPath(env) });
  });
  plugin.bind(ScriptOutlines, (use) => new ScriptOutliner({ trees: trees(use), verbs: () => use.all(Verbs) }));
  plugin.contribute(WorkflowKinds, (use) =>
    scriptWorkflow({
      bash: createBashSyntax(agentPath(use(Settings).env), reader(use)),
      review: new ScriptReview({ trees: trees(use), verbs: () => use.all(Verbs) }),
      outlines: () => use(ScriptOutlines),
      repositories: () => use.all(RepositorySources),
    }),
  );
  plugin.bind(ProgramsFactory, (use) => () => {
    const { env } = use(Settings);
    const parts = { clock: use(Clock), ids: use(Ids), log: use(Log), env, grace_ms: GRACE_MS };
    return new AgentPrograms({ ...parts, clients: clients(use), isolation: isolation(use) });
  });
  plugin.bind(
    PassCallers,
    provide(createPassCallers, {
      verbs: (use) => () => use.all(Verbs),
      clients,
      env: (use) => use(Settings).env,
      grace_ms: () => GRACE_MS,
      clock: Clock,
      log: Log,
    }),
  );
  plugin.contribute(
    Executors,
    provide(createCommandExecutor, {
      clock: Clock,
      ids: Ids,
      log: Log,
      env: (use) => use(Settings).env,
      isolation,
      grace_ms: () => GRACE_MS,
    }),
  );
  plugin.contribute(
    Executors,
    provide(createScriptExecutor, {
      clock: Clock,
      ids: Ids,
      log: Log,
      env: (use) => use(Settings).env,
      node: () => process.execPath,
      cli: () => [process.execPath, CLI],
      verbs: (use) => () => use.all(Verbs),
      replay: Replay,
      clients,
      isolation,
      grace_ms: () => GRACE_MS,
      in_shell: (use) => use(Settings).env.SVC_AGENT_IN_SHELL !== 'off',
      warm: (use) => use(Settings).env.SVC_AGENT_WARM !== 'off',
    }),
  );
});
