import { Errors, isServiceError, type Transaction } from '../../../../kernel/contracts/index.ts';
import {
  type ActivityContext,
  type ArmWait,
  type Json,
  MAX_RUN_DEPTH,
  type NewRun,
  type Reading,
  REFERENCE_FORMS,
  type RunCreation,
  type RunEngine,
  type RunLimits,
  runLimit,
  runStorageLimit,
  type SubmitRun,
  TERMINAL,
  type WaitKind,
  type WaitOutcome,
  type WorkflowReference,
} from '../../../engine/runs/contract.ts';
import { CALL_WAIT } from '../contract.ts';
import { callOutcome, rejectionOutcome, timeoutOutcome } from '../domain/call-outcomes.ts';
import { areIncludedFiles } from '../domain/included-files.ts';
import { callsTooDeep } from '../errors.ts';
import { type Ancestry, countOpenCalls, insertCall, markAbandoned, readAncestry } from '../store/calls.ts';

export interface CallWaitDeps {
  database: Reading;
  creation: () => Pick<RunCreation, 'prepare' | 'plan' | 'createIn' | 'inherit' | 'countChildren' | 'countStarted'>;
  engine: () => Pick<RunEngine, 'read'>;
  limits: () => Pick<RunLimits, 'called_runs'>;
  /** Called after a commit that left runs to be cancelled. */
  onAbandoned: () => void;
}

/**
 * `svc call`, with the arguments `{graph | function | node, config? | source, filename?, kind?, input?}`, of coordinators also `env`,
 * `credentials`, `files` and `checkout`. The run is created and its call recorded in the transaction that parks; a run that ends
 * in the transaction that creates it parks nobody. When the wait ends in any other way than by the end of the run, the run is
 * cancelled.
 *
 * A run that nobody waits for any more, or that was called by such a run, creates none: it waits until its cancel comes.
 * Otherwise runs that call themselves would be created faster than they are cancelled.
 */
export const callWait = (deps: CallWaitDeps): WaitKind => ({
  kind: CALL_WAIT,
  substate: 'child',
  prepare: async (context, wait) =>
    deps.creation().prepare(await toSubmit(deps, deps.database, context, wait, SCRIPT_MEMBERS)),
  async tryResolve(tx, context, wait, prepared) {
    const ancestry = await readAncestry(tx, context.run_id, MAX_RUN_DEPTH);
    if (ancestry.abandoned) return undefined;
    try {
      return await createCalledRun(tx, deps, context, wait, ancestry, prepared as NewRun | undefined);
    } catch (error) {
      // An agent would ask again and again. Nothing was written.
      const isLimit = isServiceError(error, runLimit.code) || isServiceError(error, runStorageLimit.code);
      if (prepared === undefined || !isLimit) throw error;
      return rejectionOutcome(error);
    }
  },
  expire: ({ name }) => timeoutOutcome(name),
  async ended(tx, waits) {
    if ((await markAbandoned(tx, waits)) > 0) tx.afterCommit(deps.onAbandoned);
  },
});

async function createCalledRun(
  tx: Transaction,
  deps: CallWaitDeps,
  context: ActivityContext,
  wait: ArmWait,
  { count, root_id }: Ancestry,
  prepared: NewRun | undefined,
): Promise<WaitOutcome | undefined> {
  // Calls within calls are counted too, because a workflow that calls itself must come to an end.
  if (count >= MAX_RUN_DEPTH) throw callsTooDeep(`the call would be nested more than ${MAX_RUN_DEPTH} levels deep`);
  const { called_runs } = deps.limits();
  if ((await countOpenCalls(tx, root_id, called_runs)) >= called_runs)
    throw runLimit(
      `the run ${root_id} and the runs that it calls have ${called_runs} open called runs, which is the limit (SVC_MAX_CALLED_RUNS)`,
    );
  const creation = deps.creation();
  // Each run has a log and outputs of its own, so there may be no more of them than of children.
  if (!context.trusted) {
    await creation.countChildren(tx, context.run_id, 1);
    const rejection = await creation.countStarted(tx, context.run_id, 1);
    if (rejection) throw rejection;
  }
  // A coordinator waits without an agent, and what it calls was checked with its document.
  const planned = prepared ?? (await creation.plan(tx, await toSubmit(deps, tx, context, wait, COORDINATOR_MEMBERS)));
  const run = { ...planned, called_by: context.run_id };
  const [created] = await creation.createIn(tx, [context.paused ? { ...run, paused: { with: context.run_id } } : run]);
  const hasEnded = TERMINAL.includes(created!.status);
  const { org_id, project_id, run_id, activity_id } = context;
  const call = { called_id: run.run_id, org_id, project_id, run_id, activity_id, position: wait.position, root_id };
  await insertCall(tx, call, hasEnded ? 'done' : 'open');
  return hasEnded ? callOutcome(await deps.engine().read(context, run.run_id, tx)) : undefined;
}

const toSubmit = async (
  { creation }: CallWaitDeps,
  on: Reading,
  context: ActivityContext,
  { args }: ArmWait,
  members: readonly string[],
): Promise<SubmitRun> => ({ ...parseCall(args, members), ...(await creation().inherit(on, context)) });

type CallArguments = WorkflowReference & Pick<SubmitRun, 'input' | 'env' | 'credentials' | 'files' | 'checkout'>;

const SCRIPT_MEMBERS = ['graph', 'node', 'function', 'source', 'filename', 'kind', 'config', 'input'];
/** The documents of coordinators say which variables and credentials the called run gets. */
const COORDINATOR_MEMBERS = [...SCRIPT_MEMBERS, 'env', 'credentials', 'files', 'checkout'];

const isTextMap = (map: Json | undefined): boolean =>
  map === undefined ||
  (map !== null &&
    typeof map === 'object' &&
    !Array.isArray(map) &&
    Object.values(map).every((value) => typeof value === 'string'));

function parseCall(args: Json, members: readonly string[]): CallArguments {
  const object = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { input, config, env, credentials, files, checkout, ...texts } = object;
  const forms = REFERENCE_FORMS.filter((form) => texts[form] !== undefined);
  const hasKnownMembers = Object.keys(object).every((name) => members.includes(name));
  const hasValidTypes =
    [env, credentials].every(isTextMap) &&
    areIncludedFiles(files) &&
    Object.values(texts).every((text) => text === undefined || typeof text === 'string') &&
    (config === undefined || (config !== null && typeof config === 'object' && !Array.isArray(config)));
  if (hasKnownMembers && hasValidTypes && forms.length === 1)
    return { ...({ ...texts, config, env, credentials, files, checkout } as unknown as CallArguments), input };
  throw Errors.invalidRequest(
    'call accepts a graph, a node with its config, a function, or a source; and optionally an input',
  );
}
