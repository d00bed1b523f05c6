import { Errors, isServiceError, type ServiceError, type Transaction } from '../../../kernel/contracts/index.ts';
import {
  type ActivityContext,
  type ArmWait,
  type Json,
  type NewRun,
  REFERENCE_FORMS,
  type Reading,
  type Run,
  type RunCreation,
  type RunEngine,
  type RunLimits,
  type SubmitRun,
  TERMINAL,
  type WaitKind,
  type WaitOutcome,
  type WorkflowReference,
} from '../contract.ts';
import { callsTooDeep, runLimit, runStorageLimit } from '../errors.ts';
import { isRunLimit } from '../store/admission.ts';
import { countCalled, insertCall, runsAbove, type RunsAbove, waitsEnded } from '../store/calls.ts';
import { MAX_DEPTH } from '../store/depth.ts';
import { countChildren, countStarted } from '../store/untrusted-runs.ts';
import { areFiles } from './given-files.ts';
import { inherited } from './inherited.ts';

/** Of a call whose run did not succeed, and of one that took too long. */
const FAILED = 1;
const TIMED_OUT = 124;
const MESSAGE_LENGTH = 4096;

export interface CallParts {
  database: Reading;
  creation: () => Pick<RunCreation, 'prepare' | 'plan' | 'createIn'>;
  engine: () => Pick<RunEngine, 'read'>;
  /** How many called runs of a root may be open. */
  max_called: number;
  limits: () => RunLimits;
  /** Called after a commit that left runs to be cancelled. */
  left: () => void;
}

/**
 * `svc call`: args `{graph | node, config? | source, filename?, kind?, input?}`, of coordinators also `env`,
 * `credentials`, `files` and `checkout`. The run is made, and its call recorded,
 * in the transaction that parks; a run that ends in the transaction that makes it parks nobody. When the wait ends in
 * any other way than by the end of the run, the run is cancelled.
 *
 * A run that nobody waits for any more, or that was called by such a run, makes none: it waits until its cancel comes.
 * Otherwise runs that call themselves would be made faster than they are cancelled.
 */
export const callWait = (parts: CallParts): WaitKind => ({
  kind: 'call',
  substate: 'child',
  prepare: async (context, wait) =>
    parts.creation().prepare(await calledRun(parts.database, context, wait, BY_SCRIPTS)),
  async tryResolve(tx, context, wait, prepared) {
    const above = await runsAbove(tx, context.run_id, MAX_DEPTH);
    if (above.left) return undefined;
    try {
      return await makeCall(tx, parts, context, wait, above, prepared as NewRun | undefined);
    } catch (error) {
      // An agent would ask again and again; nothing was written.
      if (prepared === undefined || !(isRunLimit(error) || isServiceError(error, runStorageLimit.code))) throw error;
      return refused(error);
    }
  },
  expire: ({ name }) => ({
    exit_code: TIMED_OUT,
    output: Buffer.alloc(0),
    message: `the called ${name} did not end before the timeout; it is cancelled`,
  }),
  async ended(tx, waits) {
    if ((await waitsEnded(tx, waits)) > 0) tx.afterCommit(parts.left);
  },
});

async function makeCall(
  tx: Transaction,
  parts: CallParts,
  context: ActivityContext,
  wait: ArmWait,
  above: RunsAbove,
  prepared: NewRun | undefined,
): Promise<WaitOutcome | undefined> {
  // Calls within calls: a workflow that calls itself must come to an end.
  if (above.count >= MAX_DEPTH) throw callsTooDeep(`the call would be nested more than ${MAX_DEPTH} levels deep`);
  const { root_id } = above;
  if ((await countCalled(tx, root_id, parts.max_called)) >= parts.max_called)
    throw runLimit(
      `the run ${root_id} and what it calls have ${parts.max_called} called runs that are not over, as many as they may (SVC_MAX_CALLED_RUNS)`,
    );
  // Each has a log and outputs of its own, so there may be no more of them than of children.
  if (!context.trusted) {
    await countChildren(tx, parts.limits(), context.run_id, 1);
    const beyond = await countStarted(tx, parts.limits(), context.run_id, 1);
    if (beyond) throw beyond;
  }
  // A coordinator waits without an agent: what it calls was checked with its document.
  const run = prepared ?? (await plannedIn(tx, parts, context, wait));
  const [made] = await parts.creation().createIn(tx, [run]);
  const over = TERMINAL.includes(made!.status);
  const { org_id, project_id, run_id, activity_id } = context;
  const call = { called_id: run.run_id, org_id, project_id, run_id, activity_id, position: wait.position, root_id };
  await insertCall(tx, call, over ? 'done' : 'open');
  return over ? callOutcome(await parts.engine().read(context, run.run_id, tx)) : undefined;
}

/** What a script is told of a call or a spawn that a limit refuses: it may go on. */
export const refused = ({ code, message, next }: ServiceError): WaitOutcome => ({
  exit_code: FAILED,
  output: Buffer.alloc(0),
  message: `${message} (${code})\n${next}`.slice(0, MESSAGE_LENGTH),
});

/** What a call prints and exits with; the run is over. */
export function callOutcome(run: Run): WaitOutcome {
  if (run.status === 'succeeded')
    return { exit_code: 0, output: Buffer.from(`${JSON.stringify(run.output ?? null)}\n`) };
  const why =
    run.status === 'failed'
      ? `failed: ${run.error?.message} (${run.error?.code})`
      : `was cancelled: ${run.reason ?? ''}`;
  return {
    exit_code: FAILED,
    output: Buffer.alloc(0),
    message: `the run ${run.run_id} ${why}`.slice(0, MESSAGE_LENGTH),
  };
}

async function plannedIn(tx: Transaction, parts: CallParts, context: ActivityContext, wait: ArmWait): Promise<NewRun> {
  return parts.creation().plan(tx, await calledRun(tx, context, wait, BY_COORDINATORS));
}

const calledRun = async (on: Reading, context: ActivityContext, { args }: ArmWait, members: readonly string[]) => ({
  ...readCall(args, members),
  ...(await inherited(on, context)),
});

type Called = WorkflowReference & Pick<SubmitRun, 'input' | 'env' | 'credentials' | 'files' | 'checkout'>;

const BY_SCRIPTS = ['graph', 'node', 'source', 'filename', 'kind', 'config', 'input'];
/** Their documents say which variables and credentials the called run gets. */
const BY_COORDINATORS = [...BY_SCRIPTS, 'env', 'credentials', 'files', 'checkout'];

const areTexts = (map: Json | undefined): boolean =>
  map === undefined ||
  (map !== null &&
    typeof map === 'object' &&
    !Array.isArray(map) &&
    Object.values(map).every((value) => typeof value === 'string'));

function readCall(args: Json, members: readonly string[]): Called {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { input, config, env, credentials, files, checkout, ...texts } = given;
  const forms = REFERENCE_FORMS.filter((form) => texts[form] !== undefined);
  const known = Object.keys(given).every((name) => members.includes(name));
  const sound =
    [env, credentials].every(areTexts) &&
    areFiles(files) &&
    Object.values(texts).every((text) => text === undefined || typeof text === 'string') &&
    (config === undefined || (config !== null && typeof config === 'object' && !Array.isArray(config)));
  if (known && sound && forms.length === 1)
    return { ...({ ...texts, config, env, credentials, files, checkout } as unknown as Called), input };
  throw Errors.invalidRequest('call takes a graph, a node with its config, or a source; and perhaps an input');
}
