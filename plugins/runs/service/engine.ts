import type { Fault, Ids } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import type {
  CredentialCheck,
  NewActivity,
  NewRun,
  Problem,
  RunEngine,
  RunStore,
  SubmitResult,
  SubmitRun,
  WorkflowDocument,
  WorkflowKind,
} from '../contract.ts';
import { workflowInvalid } from '../errors.ts';
import { submitFaults, tooLarge, workflowName } from './submit-rules.ts';
import { findKind } from './workflow-lookup.ts';

export interface PlanParts {
  kinds: readonly WorkflowKind[];
  ids: Ids;
  credential_checks: readonly CredentialCheck[];
}

export interface EngineParts extends PlanParts {
  store: Pick<RunStore, 'createRun' | 'findSubmitted'>;
  /** The reading half, in a file of its own. */
  views: Pick<RunEngine, 'read' | 'logs'>;
}

/** What other plugins ask of the engine: accept a workflow, check one, look at a run. */
export function createRunEngine(parts: EngineParts): RunEngine {
  return {
    submit: (run) => submit(parts, run),
    check: (document) => check(parts.kinds, document),
    read: (scope, run_id) => parts.views.read(scope, run_id),
    logs: (run_id, after, limit) => parts.views.logs(run_id, after, limit),
  };
}

/** A repeat is answered with the first run, even when what it names is gone or refused by now. */
async function submit(parts: EngineParts, run: SubmitRun): Promise<SubmitResult> {
  try {
    return await accept(parts, run);
  } catch (refusal) {
    const first = await parts.store.findSubmitted(run);
    if (first) return first;
    throw refusal;
  }
}

async function accept(parts: EngineParts, run: SubmitRun): Promise<SubmitResult> {
  return parts.store.createRun(await prepareRun(parts, run));
}

/** Everything that is wrong with a submit is found here; afterwards it is only planned. */
export async function prepareRun(parts: PlanParts, run: SubmitRun): Promise<NewRun> {
  const large = tooLarge(run);
  if (large) throw large;
  const faults = submitFaults(run);
  if (faults.length > 0) throw Errors.invalidRequest(summary(faults), { errors: faults });
  const kind = findKind(parts.kinds, run);
  const document = documentOf(run);
  const problems = await kind.check(document);
  if (problems.length > 0) throw invalid(kind, problems);
  await checkCredentials(parts.credential_checks, kind, run);
  return planRun(parts, run);
}

/** The run that a checked submit comes to. */
export function planRun(parts: Pick<PlanParts, 'kinds' | 'ids'>, run: SubmitRun & { run_id?: string }): NewRun {
  const kind = findKind(parts.kinds, run);
  const activities = kind
    .plan(documentOf(run))
    .map((planned): NewActivity => ({ ...planned, activity_id: parts.ids.next('act') }));
  return {
    ...run,
    run_id: run.run_id ?? parts.ids.next('run'),
    kind: kind.kind,
    workflow_type: kind.type,
    workflow: workflowName(run.filename, kind.kind),
    tags: [...new Set(run.tags ?? [])],
    cancel_on: [...new Set(run.cancel_on ?? [])],
    activities,
  };
}

/** Only scripts take them at a submit: other documents name their own. */
async function checkCredentials(checks: readonly CredentialCheck[], kind: WorkflowKind, run: SubmitRun): Promise<void> {
  const credentials = run.credentials ?? {};
  if (Object.keys(credentials).length === 0) return;
  if (kind.kind !== 'script') throw noCredentials(`belong to scripts; a ${kind.kind} names its own in its document`);
  if (checks.length === 0) throw noCredentials('are not kept by this server');
  for (const one of checks) await one.check(run, credentials);
}

function noCredentials(message: string) {
  return Errors.invalidRequest(`credentials ${message}`, { errors: [{ pointer: '/credentials', message }] });
}

/** Faults of the request around the document become problems too: `svc check` shows one list. */
async function check(
  kinds: readonly WorkflowKind[],
  given: Partial<WorkflowDocument> & { kind?: string; source: string },
): Promise<Problem[]> {
  const large = tooLarge(given);
  if (large) throw large;
  const faults = submitFaults(given).map(
    ({ pointer, message }): Problem => ({
      line: 1,
      column: 1,
      message: `${pointer} ${message}`,
      code: 'invalid_request',
    }),
  );
  return [...faults, ...(await findKind(kinds, given).check(documentOf(given)))];
}

function documentOf(given: Partial<WorkflowDocument> & { source: string }): WorkflowDocument {
  const { filename, source, interpreter, env = {}, requires = [] } = given;
  return { filename, source, interpreter, env, requires: [...new Set(requires)] };
}

const summary = (faults: readonly Fault[]): string =>
  faults
    .slice(0, 3)
    .map(({ pointer, message }) => `${pointer} ${message}`)
    .join('; ') + (faults.length > 3 ? `; and ${faults.length - 3} more` : '');

function invalid(kind: WorkflowKind, problems: readonly Problem[]) {
  const errors = problems.map(({ line, column, message }) => ({
    pointer: '/source',
    message: `${line}:${column} ${message}`,
  }));
  return workflowInvalid(
    `the ${kind.kind} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}: ${
      errors[0]!.message
    }`,
    { errors, data: { problems } },
  );
}
