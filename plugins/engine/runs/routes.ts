import { HttpAddress, MEMBER, type Resolve, type Route, SCOPED, VIEWER } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import {
  type Json,
  keyHeader,
  RunEngine,
  RunStore,
  runUrl,
  waitOf,
  type Workflow,
  WORKFLOW_BODY_LIMIT,
  withWorkflow,
} from './contract.ts';
import type { CancelRunBody } from './generated/cancel-run.ts';
import type { PauseRunBody } from './generated/pause-run.ts';
import type { RerunRunBody } from './generated/rerun-run.ts';
import type { Reruns } from './rerun/rerun.ts';
import cancelSchema from './schema/cancel-run.schema.json' with { type: 'json' };
import checkSchema from './schema/check-workflow.schema.json' with { type: 'json' };
import inputsSchema from './schema/declared-inputs.schema.json' with { type: 'json' };
import checkedSchema from './schema/checked-workflow.schema.json' with { type: 'json' };
import pauseSchema from './schema/pause-run.schema.json' with { type: 'json' };
import rerunSchema from './schema/rerun-run.schema.json' with { type: 'json' };
import runSchema from './schema/run.schema.json' with { type: 'json' };
import submittedSchema from './schema/submitted-run.schema.json' with { type: 'json' };
import waitQuery from './schema/wait-query.schema.json' with { type: 'json' };
import type { RunRecords } from './service/run-records.ts';
import { target } from './request-target.ts';
import { type RunWaits, waitCaller } from './service/run-waits.ts';
import { submitRoute, type UrlOf, withUrl } from './submit-route.ts';

const RUNS = `${SCOPED}/runs`;
const RUN = `${RUNS}/:run`;

/** The routes of runs: submit, read and change. */
export function runRoutes(use: Resolve, records: RunRecords, waits: RunWaits, reruns: Reruns): Route[] {
  const [engine, store, address] = [use(RunEngine), use(RunStore), use(HttpAddress)];
  const urlOf: UrlOf = ({ scope }, run_id) => runUrl(address.public_url(), scope, run_id);
  return [
    submitRoute({ engine, waits, urlOf }),
    checkRoute(engine),
    inputsRoute(engine),
    readRoute(records, waits, urlOf),
    ...changeRoutes(store, reruns, urlOf),
  ];
}

const checkRoute = (engine: RunEngine): Route => ({
  method: 'POST',
  path: `${SCOPED}/check`,
  operation: 'checkWorkflow',
  summary: 'Check a workflow without running it',
  access: VIEWER,
  body: withWorkflow(checkSchema),
  body_limit: WORKFLOW_BODY_LIMIT,
  responses: { 200: { description: 'Whether it can run, and its problems.', schema: checkedSchema } },
  // Problems are an answer and not an error.
  async handle({ scope, body }) {
    const problems = await engine.check(scope, body as Workflow);
    if (problems.length > 0) return { status: 200, json: { ok: false, problems } };
    const found = await engine.review(scope, body as Workflow);
    const { warnings, notes } = found;
    const more = { ...(warnings.length > 0 && { warnings }), ...(notes.length > 0 && { notes }) };
    return { status: 200, json: { ok: found.problems.length === 0, problems: found.problems, ...more } };
  },
});

const inputsRoute = (engine: RunEngine): Route => ({
  method: 'POST',
  path: `${SCOPED}/inputs`,
  operation: 'describeInputs',
  summary: 'Show the inputs that a workflow declares',
  access: VIEWER,
  body: withWorkflow(checkSchema),
  body_limit: WORKFLOW_BODY_LIMIT,
  responses: { 200: { description: 'The JSON Schema of its inputs, if it declares any.', schema: inputsSchema } },
  async handle({ scope, body }) {
    return { status: 200, json: { schema: await engine.inputSchema(scope, body as Workflow) } };
  },
});

const readRoute = (records: RunRecords, waits: RunWaits, urlOf: UrlOf): Route => ({
  method: 'GET',
  path: RUN,
  operation: 'getRun',
  summary: 'Show a run',
  access: VIEWER,
  query: waitQuery,
  responses: { 200: { description: 'The run.', schema: runSchema } },
  // A run of another project gives 404 like a missing one.
  async handle(request) {
    const { scope, params, query, signal } = request;
    const wait_ms = waitOf(query);
    const caller = waitCaller(request);
    const run =
      wait_ms === undefined
        ? await records.read(scope, params.run!)
        : await waits.holding(scope, caller, () => waits.until(scope, params.run!, { caller, wait_ms, signal }));
    return { status: 200, json: withUrl(request, await records.withRunning(scope, run), urlOf) };
  },
});

const changeRoutes = (store: RunStore, reruns: Reruns, urlOf: UrlOf): Route[] => [
  {
    method: 'POST',
    path: `${RUN}/cancel`,
    operation: 'cancelRun',
    summary: 'Cancel a run',
    access: MEMBER,
    body: cancelSchema,
    responses: { 200: { description: 'The cancelled run.', schema: runSchema } },
    // A repeat gives the same answer; 409 `run_finished` when the run ended otherwise.
    async handle(request) {
      const { body, principal } = request;
      const reason = (body as CancelRunBody | undefined)?.reason ?? `cancelled by ${principal?.name ?? 'a user'}`;
      const run = await store.cancelRun({ ...target(request), reason, by: auditSource(request) });
      return { status: 200, json: withUrl(request, run, urlOf) };
    },
  },
  {
    method: 'POST',
    path: `${RUN}/pause`,
    operation: 'pauseRun',
    summary: 'Pause a run: nothing new starts in it until it is resumed',
    access: MEMBER,
    body: pauseSchema,
    responses: { 200: { description: 'The paused run.', schema: runSchema } },
    // A repeat gives the same answer and keeps the first pause; 409 `run_finished` when the run has ended.
    async handle(request) {
      const reason = (request.body as PauseRunBody | undefined)?.reason;
      const [name, requester] = [request.principal?.name, auditSource(request)];
      const run = await store.pauseRun({ ...target(request), reason, name, requester });
      return { status: 200, json: withUrl(request, run, urlOf) };
    },
  },
  {
    method: 'POST',
    path: `${RUN}/resume`,
    operation: 'resumeRun',
    summary: 'Resume a paused run',
    access: MEMBER,
    responses: { 200: { description: 'The run.', schema: runSchema } },
    async handle(request) {
      const run = await store.resumeRun({ ...target(request), requester: auditSource(request) });
      return { status: 200, json: withUrl(request, run, urlOf) };
    },
  },
  {
    method: 'POST',
    path: `${RUN}/rerun`,
    operation: 'rerunRun',
    summary: 'Rerun a finished run: the parts that did not succeed, everything from a site, or everything',
    access: MEMBER,
    body: rerunSchema,
    responses: {
      201: { description: 'The new run.', schema: submittedSchema },
      200: {
        description: 'The run was already rerun with this `Idempotency-Key`; the response is the first rerun.',
        schema: submittedSchema,
      },
    },
    async handle(request) {
      const { org, project } = request.scope;
      const { from, all = false, input } = (request.body as RerunRunBody | undefined) ?? {};
      const [by, key] = [auditSource(request), keyHeader(request)];
      const made = await reruns.rerun({
        ...target(request),
        org,
        project,
        from,
        all,
        input: input as Json | undefined,
        key,
        by,
      });
      const { run_id, status, duplicate } = made;
      const json = { run_id, status, run_url: urlOf(request, run_id) };
      return duplicate ? { status: 200, json: { ...json, duplicate } } : { status: 201, json };
    },
  },
];
