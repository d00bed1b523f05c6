import {
  Errors,
  type Fault,
  type Ids,
  type JsonSchema,
  isServiceError,
  parseDuration,
  type Scope,
  type Sealer,
} from '../../../../kernel/contracts/index.ts';
import {
  type CheckedDocument,
  type CredentialChecker,
  findConcurrencyErrors,
  type DocumentCheck,
  type RetainedFiles,
  MAX_OUTLINE_ITEMS,
  type NewRun,
  type OutlineItem,
  type PinnedDocument,
  type Problem,
  type Reading,
  READS_INPUTS,
  REFERENCE_FORMS,
  type Review,
  type RunEngine,
  type RunStore,
  type SubmitResult,
  type SubmitRun,
  type WorkflowDocument,
  type WorkflowKind,
  type WorkflowReference,
} from '../contract.ts';
import { parseExact } from '../../../platform/schema/contract.ts';
import { canonicalFiles } from '../domain/included-files.ts';
import { endingOf, ofTheService, versionOf } from '../domain/document-marks.ts';
import { originOf } from '../domain/origin.ts';
import { filesNotKept, workflowInvalid, workflowKindUnknown } from '../errors.ts';
import { asProblem, checkDocument } from './check-document.ts';
import type { RunInputs } from './inputs.ts';
import { formOf, submitFaults, tooLarge, workflowName } from './submit-rules.ts';

export interface PlanDeps {
  kinds: readonly WorkflowKind[];
  ids: Ids;
  /** Used by plans outside of transactions. */
  database: Reading;
  sealer: Pick<Sealer, 'prepare'>;
  credential_checks: () => readonly CredentialChecker[];
  retained_files: () => readonly RetainedFiles[];
  inputs: Pick<RunInputs, 'accept' | 'valueOf'>;
}

export interface EngineDeps extends PlanDeps {
  store: Pick<RunStore, 'createRun' | 'findSubmitted'>;
  /** Of documents that are no workflows. Resolved late: they use the engine. */
  document_checks: () => readonly DocumentCheck[];
  /** The reading half, in a file of its own. */
  views: Pick<RunEngine, 'read' | 'logs'>;
}

/** What other plugins ask of the engine: submit a workflow, check one, read a run. */
export function createRunEngine(deps: EngineDeps): RunEngine {
  return {
    submit: (run) => submit(deps, run),
    check: (scope, document) => check(deps, scope, document),
    inputSchema: (scope, workflow) => inputSchema(deps, scope, workflow),
    review: (scope, document) => review(deps, scope, document),
    outline: (scope, workflow) => outline(deps, scope, workflow),
    ...deps.views,
  };
}

/** A repeat is answered with the first run, even if what it names is gone or refused now. */
async function submit(deps: EngineDeps, run: SubmitRun): Promise<SubmitResult> {
  try {
    return await accept(deps, run);
  } catch (refusal) {
    const first = await deps.store.findSubmitted(run);
    if (first) return first;
    throw refusal;
  }
}

async function accept(deps: EngineDeps, run: SubmitRun): Promise<SubmitResult> {
  return deps.store.createRun(await prepareRun(deps, run));
}

/** Checks everything about a submit; afterwards it is only planned. `by`: the run that asks for it. */
export async function prepareRun(deps: PlanDeps, run: SubmitRun, by?: string): Promise<NewRun> {
  const large = tooLarge(run);
  if (large) throw large;
  const faults = submitFaults(run);
  if (faults.length > 0) throw Errors.invalidRequest(summary(faults), { errors: faults });
  const kind = findKind(deps.kinds, run);
  await deps.sealer.prepare(run.org_id);
  const pinned = await pin(kind, deps.database, run, run);
  const document = documentOf(run, pinned);
  const problems = inOrder(await kind.check(run, document));
  if (problems.length > 0) throw invalid(kind, `/${formOf(run)}`, problems);
  checkArguments(kind, run);
  checkFiles(kind, run);
  checkCheckout(kind, run);
  checkConcurrency(kind, run);
  await checkCredentials(deps.credential_checks(), kind, run);
  const planned = await planDocument(deps, deps.database, { ...run, kind: kind.kind }, kind, pinned);
  await retainFiles(deps.retained_files(), planned, by);
  return planned;
}

/** The run that a checked submit becomes. Reads only through `on`. */
export async function planRun(
  deps: Pick<PlanDeps, 'kinds' | 'ids' | 'inputs'>,
  on: Reading,
  run: SubmitRun & { run_id?: string },
): Promise<NewRun> {
  const kind = findKind(deps.kinds, run);
  return planDocument(deps, on, run, kind, await pin(kind, on, run, run));
}

async function planDocument(
  deps: Pick<PlanDeps, 'ids' | 'inputs'>,
  on: Reading,
  submitted: SubmitRun & { run_id?: string },
  kind: WorkflowKind,
  pinned: PinnedDocument,
): Promise<NewRun> {
  let run: SubmitRun & { run_id?: string } = submitted;
  const input = () => deps.inputs.valueOf(on, run, submitted.event_payload);
  const has_input = submitted.input_check !== 'later';
  const document = { ...documentOf(submitted, pinned), start: { ...startOf(submitted), ...(has_input && { input }) } };
  run = await withInput(deps, on, submitted, kind, document);
  const plan = await planOn(on, () => kind.plan(on, run, document));
  const { activities, coordination, named, about = {} } = plan;
  if (about.concurrency && run.concurrency && !submitted.repeats) throw twoGroups();
  const files = canonicalFiles(run.files);
  const { graph: _graph, node: _node, function: _function, config: _config, pinned: _pinned, ...rest } = run;
  const timeout = run.timeout ?? about.timeout;
  delete rest.timeout;
  return {
    ...rest,
    timeout_ms: run.timeout_ms ?? (timeout === undefined ? undefined : parseDuration(timeout)),
    run_id: run.run_id ?? deps.ids.next('run'),
    new_id: run.run_id === undefined,
    kind: kind.kind,
    workflow_type: kind.type,
    source: pinned.source,
    pin: pinned.pin,
    workflow: pinned.workflow ?? about.workflow ?? workflowName(run.filename, kind.kind),
    subject: run.subject ?? about.subject,
    priority: run.priority ?? about.priority,
    concurrency: about.concurrency ?? run.concurrency,
    tags: [...new Set([...(run.tags ?? []), ...(about.tags ?? [])])],
    requires: about.requires === undefined ? run.requires : [...new Set([...(run.requires ?? []), ...about.requires])],
    cancel_on: [...new Set([...(run.cancel_on ?? []), ...(about.cancel_on ?? [])])],
    coordination,
    named,
    files: files.length === 0 ? undefined : files,
    needed_files: [...files, ...(plan.files ?? [])],
    activities: activities.map((planned) => ({
      ...planned,
      ...(run.envelope?.inputs !== undefined && { requires: [...planned.requires, READS_INPUTS] }),
      activity_id: deps.ids.next('act'),
    })),
  };
}

/** The run with what its workflow declares checked and filled in. Throws `input_invalid`. */
async function withInput(
  { inputs }: Pick<PlanDeps, 'inputs'>,
  on: Reading,
  { input_check, event_payload, repeats: _repeats, ...run }: SubmitRun & { run_id?: string },
  kind: WorkflowKind,
  document: WorkflowDocument,
): Promise<SubmitRun & { run_id?: string }> {
  if (kind.inputSchema === undefined || input_check !== undefined) return run;
  const schema = await planOn(on, () => kind.inputSchema!(on, run, document));
  if (schema === undefined) return run;
  return inputs.accept(on, run, { schema, event_payload });
}

async function inputSchema(
  { kinds, database, sealer }: EngineDeps,
  scope: Scope,
  given: CheckedDocument,
): Promise<JsonSchema | undefined> {
  const large = tooLarge(given);
  if (large) throw large;
  const faults = submitFaults(given);
  if (faults.length > 0) throw Errors.invalidRequest(summary(faults), { errors: faults });
  const kind = findKind(kinds, given);
  if (kind.inputSchema === undefined) return undefined;
  await sealer.prepare(scope.org_id);
  const document = documentOf(given, await pin(kind, database, scope, given));
  const text = await planOn(database, () => kind.inputSchema!(database, scope, document));
  return text === undefined ? undefined : (parseExact(text) as JsonSchema);
}

/**
 * Repeats `plan` while it asks for work that no transaction may wait for (`extras.outside`), such as the reading of a large
 * document. A transaction does that itself.
 */
export async function planOn<T>(on: Reading, plan: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await plan();
    } catch (error) {
      const outside = isServiceError(error) ? error.extras.outside : undefined;
      if (outside === undefined || !('transaction' in on)) throw error;
      await outside();
    }
}

/** The document of a submit: pinned before, given inline, or resolved from its reference now. */
async function pin(kind: WorkflowKind, on: Reading, scope: Scope, run: CheckedDocument): Promise<PinnedDocument> {
  if (run.pinned) return run.pinned;
  if (run.source !== undefined) return { source: run.source };
  if (!kind.resolve) throw new Error(`the kind ${kind.kind} names references but resolves none`);
  return kind.resolve(on, scope, run);
}

/** Other kinds have no program of their own. Throws `invalid_request`. */
function checkArguments(kind: WorkflowKind, { args = [] }: Pick<CheckedDocument, 'args'>): void {
  if (args.length === 0 || kind.takes_arguments) return;
  const message = `are only for scripts; give a ${kind.kind} an input`;
  throw Errors.invalidRequest(`arguments ${message}`, { errors: [{ pointer: '/args', message }] });
}

/** Throws `include_unsupported`. */
function checkFiles(kind: WorkflowKind, { files = [] }: Pick<CheckedDocument, 'files'>): void {
  if (files.length === 0 || kind.takes_files) return;
  throw filesNotKept(`only scripts can have included files, but this is a ${kind.kind}`, {
    errors: [{ pointer: '/files', message: 'are only for scripts' }],
  });
}

const NO_CHECKOUT = 'is only for scripts; a pipeline sets this in its document';

/** Documents of other kinds say it themselves. Throws `invalid_request`. */
function checkCheckout(kind: WorkflowKind, { checkout }: Pick<CheckedDocument, 'checkout'>): void {
  if (checkout === undefined || kind.takes_checkout) return;
  throw Errors.invalidRequest(`checkout ${NO_CHECKOUT}`, { errors: [{ pointer: '/checkout', message: NO_CHECKOUT }] });
}

const NO_CONCURRENCY = 'is only for scripts and functions; a pipeline or a graph sets this in its document';

/** Throws `invalid_request`. */
function checkConcurrency(kind: WorkflowKind, { concurrency }: Pick<SubmitRun, 'concurrency'>): void {
  if (concurrency === undefined) return;
  const errors = kind.replays
    ? findConcurrencyErrors(concurrency, '/concurrency')
    : [{ pointer: '/concurrency', message: NO_CONCURRENCY }];
  if (errors.length > 0) throw Errors.invalidRequest(summary(errors), { errors });
}

/** A workflow whose runs take turns must not depend on who submits them. */
function twoGroups() {
  const message = 'is set by the workflow itself; leave it out';
  return Errors.invalidRequest(`concurrency ${message}`, { errors: [{ pointer: '/concurrency', message }] });
}

/** What a document needs stays there from now on. Throws `include_not_stored`. */
async function retainFiles(
  retained_files: readonly RetainedFiles[],
  { org_id, project_id, needed_files: files = [] }: NewRun,
  by: string | undefined,
): Promise<void> {
  if (files.length === 0) return;
  if (retained_files.length === 0) throw filesNotKept('this server does not store included files');
  for (const one of retained_files) await one.retainFiles({ org_id, project_id }, files, by);
}

type Credentialed = Scope & Pick<SubmitRun, 'credentials'>;

/** Documents of other kinds name their own credentials. */
async function checkCredentials(
  checks: readonly CredentialChecker[],
  kind: WorkflowKind,
  run: Credentialed,
): Promise<void> {
  const credentials = run.credentials ?? {};
  if (Object.keys(credentials).length === 0) return;
  if (!kind.takes_credentials)
    throw noCredentials(`are only for scripts; a ${kind.kind} names its credentials in its document`);
  if (checks.length === 0) throw noCredentials('are not stored by this server');
  for (const one of checks) await one.checkCredentials(run, credentials);
}

function noCredentials(message: string) {
  return Errors.invalidRequest(`credentials ${message}`, { errors: [{ pointer: '/credentials', message }] });
}

/** Faults of the request around the document become problems too, so that `svc check` shows one list. */
async function check(deps: EngineDeps, scope: Scope, given: CheckedDocument): Promise<Problem[]> {
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
  const { kinds, database, sealer } = deps;
  const document = await checkDocument(deps.document_checks(), scope, given);
  if (document) return inOrder([...faults, ...document]);
  // Nothing is named that could be checked; the faults say so.
  if (REFERENCE_FORMS.every((form) => given[form] === undefined)) return faults;
  const kind = findKind(kinds, given);
  await sealer.prepare(scope.org_id);
  const pinned = await pin(kind, database, scope, given);
  const problems = [...faults, ...(await kind.check(scope, documentOf(given, pinned)))];
  if ((given.files ?? []).length > 0 && !kind.takes_files)
    problems.push(asProblem(filesNotKept(`only scripts can have included files, but this is a ${kind.kind}`)));
  if (given.checkout !== undefined && !kind.takes_checkout)
    problems.push({ line: 1, column: 1, message: `checkout ${NO_CHECKOUT}`, code: 'invalid_request' });
  await checkCredentials(deps.credential_checks(), kind, { ...given, ...scope }).catch((error: unknown) => {
    problems.push(asProblem(error));
  });
  return inOrder(problems);
}

/** As they stand in the text: kinds find them in the order of their rules. */
const inOrder = (problems: readonly Problem[]): Problem[] =>
  problems.toSorted((a, b) => a.line - b.line || a.column - b.column);

/** Only of inline documents: stored ones were checked when they were saved. */
async function review({ kinds, document_checks }: EngineDeps, scope: Scope, given: CheckedDocument): Promise<Review> {
  const nothing = { problems: [], warnings: [], notes: [] };
  if (given.source === undefined || document_checks().some(({ kind }) => kind === given.kind)) return nothing;
  const { source } = given;
  if (source.trimStart().startsWith('{') && given.kind === undefined) return nothing;
  return (await findKind(kinds, given).review?.(scope, documentOf(given, { source }))) ?? nothing;
}

/** Stored documents are read as they are now, as a run that starts now would. */
async function outline(deps: EngineDeps, scope: Scope, given: CheckedDocument): Promise<readonly OutlineItem[]> {
  try {
    const kind = findKind(deps.kinds, given);
    await deps.sealer.prepare(scope.org_id);
    const document = documentOf(given, await pin(kind, deps.database, scope, given));
    const found = await kind.outline?.(scope, document);
    if (found === undefined) return [{ does: 'unknown', what: `svc cannot read a ${kind.kind} without running it` }];
    const { credentials = {}, cancel_on = [] } = given;
    const items: OutlineItem[] = [
      ...document.requires.map((name): OutlineItem => ({ does: 'agent', name })),
      ...Object.values(credentials).map((name): OutlineItem => ({ does: 'credential', name })),
      ...cancel_on.map((type): OutlineItem => ({ does: 'cancel', type })),
      ...found,
    ];
    if (items.length <= MAX_OUTLINE_ITEMS) return items;
    const what = `it does more than ${MAX_OUTLINE_ITEMS} things, and svc lists no more`;
    return [...items.slice(0, MAX_OUTLINE_ITEMS - 1), { does: 'unknown', what }];
  } catch (error) {
    if (!isServiceError(error) || error.status >= 500) throw error;
    return [{ does: 'unknown', what: error.message }];
  }
}

function startOf({ trigger, parent, trusted }: SubmitRun): Omit<NonNullable<WorkflowDocument['start']>, 'input'> {
  const { event } = originOf(trigger);
  return { ...(event !== null && { event }), ...(parent !== undefined && { parent }), trusted };
}

export function documentOf(given: CheckedDocument, pinned: PinnedDocument): WorkflowDocument {
  const { filename, interpreter, args, files, env = {}, requires = [], checkout } = given;
  const { source, pin: found } = pinned;
  const beside = files && canonicalFiles(files);
  return {
    ...{ filename, source, pin: found, interpreter, args, files: beside, env },
    requires: [...new Set(requires)],
    ...(checkout !== undefined && { checkout }),
  };
}

const summary = (faults: readonly Fault[]): string =>
  faults
    .slice(0, 3)
    .map(({ pointer, message }) => `${pointer} ${message}`)
    .join('; ') + (faults.length > 3 ? `; and ${faults.length - 3} more` : '');

function invalid(kind: WorkflowKind, pointer: string, problems: readonly Problem[]) {
  const errors = problems.map(({ line, column, message }) => ({
    pointer,
    message: `${line}:${column} ${message}`,
  }));
  return workflowInvalid(
    `the ${kind.kind} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}: ${
      errors[0]!.message
    }`,
    { errors, data: { problems } },
  );
}

/**
 * The named kind (by short name or versioned type); otherwise the kind that resolves the reference; otherwise the kind
 * that recognises the document. Throws `workflow_kind_unknown`, or `invalid_request` when no kind accepts the document.
 */
export function findKind(kinds: readonly WorkflowKind[], reference: WorkflowReference): WorkflowKind {
  const known = kinds.map(({ kind }) => kind).join(', ') || 'none';
  const form = REFERENCE_FORMS.find((one) => one !== 'source' && reference[one] !== undefined);
  if (form !== undefined && form !== 'source') {
    const resolving = kinds.find(({ references }) => references?.includes(form));
    if (resolving) return resolving;
    throw kindUnknown('/kind', `${JSON.stringify(form)} is not a known kind of workflow; known: ${known}`);
  }
  if (reference.kind !== undefined) {
    const named = kinds.find(({ kind, type }) => kind === reference.kind || type === reference.kind);
    if (named) return named;
    throw kindUnknown('/kind', `${JSON.stringify(reference.kind)} is not a known kind of workflow; known: ${known}`);
  }
  return findByMarks(kinds, reference, known);
}

function findByMarks(kinds: readonly WorkflowKind[], { filename, source = '' }: WorkflowReference, known: string) {
  const [version, ending] = [versionOf(source), endingOf(filename)];
  const marked =
    kinds.find(({ marks }) => version !== undefined && marks.versions?.includes(version)) ??
    kinds.find(({ marks }) => ending !== undefined && marks.endings?.includes(ending));
  if (marked) return marked;
  const own = ofTheService(version, ending);
  if (own !== undefined)
    throw kindUnknown('/source', `the document is a ${own}, which is not a known kind of workflow; known: ${known}`);
  const taker = kinds.find(({ marks }) => marks.anything);
  if (taker) return taker;
  const message = `does not match any kind of workflow (${known}); name one in kind`;
  throw Errors.invalidRequest(`/source ${message}`, { errors: [{ pointer: '/source', message }] });
}

const kindUnknown = (pointer: string, message: string) =>
  workflowKindUnknown(message, { errors: [{ pointer, message }] });
