import { isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import { findFileClashes } from '../domain/child.ts';
import { hasTemplate, readCondition } from '../domain/templates.ts';
import { isComputed, listCombinations, type Matrix } from '../explain/matrix.ts';
import { RESERVED_NODES } from '../domain/concurrency.ts';
import { validatePath } from '../../../integrations/forges/contract.ts';
import { validateAnyWait } from '../../../events/bus/contract.ts';
import { readInputs } from '../../../platform/schema/contract.ts';
import { findConcurrencyErrors, type Json, readTerms, variableFault } from '../../../engine/runs/contract.ts';
import type { Concurrency, Job, PipelineDocument, Retry } from '../generated/pipeline.ts';
import type { Findings } from './findings.ts';
import type { Checkable } from './partial.ts';
import type { Path } from './source.ts';

const CREDENTIAL = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
/** The members of each kind of job, in addition to those of every job. */
const KINDS = {
  steps: ['artifacts', 'cache', 'checkout', 'requires', 'env', 'credentials', 'outputs', 'strategy'],
  wait_for_event: ['when', 'untrusted', 'strategy'],
  wait_for_signal: ['form', 'approvers', 'message'],
  wait_for_any: ['strategy'],
  workflow: ['with', 'include', 'checkout', 'strategy', 'requires', 'env', 'credentials'],
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];
const KIND_MEMBERS = [...new Set(Object.values(KINDS).flat())];

/** Rules that no schema states, but for names of jobs and expressions. */
export function checkRules(checkable: Checkable, findings: Findings): void {
  const { document } = checkable;
  checkEnv(document.env, ['env'], findings);
  checkCredentials(document.credentials, ['credentials'], findings);
  const declared = document.inputs === undefined ? undefined : readInputs(document.inputs);
  if (declared && 'problem' in declared) findings.atValue(['inputs'], `\`inputs\` ${declared.problem}`);
  checkThrottle(document.concurrency, ['concurrency'], findings);
  for (const [i, tag] of (document.tags ?? []).entries()) checkLiteral(tag, ['tags', i], findings);
  if (document.subject !== undefined) checkLiteral(document.subject, ['subject'], findings);
  for (const [one, other] of findFileClashes(document.files ?? {}))
    findings.atKey(['files', other], `\`${other}\` and \`${one}\` are the same path, written differently; remove one`);
  for (const [id, job] of Object.entries(document.jobs)) {
    if (id.startsWith(RESERVED_NODES)) findings.atKey(['jobs', id], `job names cannot begin with ${RESERVED_NODES}`);
    checkJob(job, checkable, ['jobs', id], findings);
  }
}

function checkJob(job: Job, { document, partial, partial_root }: Checkable, path: Path, findings: Findings): void {
  const is_partial = partial.has(String(path.at(-1)));
  if (!is_partial) checkKind(job, path, findings);
  checkEnv(job.env, [...path, 'env'], findings);
  checkCredentials(job.credentials, [...path, 'credentials'], findings);
  checkDuration(job.timeout, [...path, 'timeout'], findings);
  checkRetry(job.retry, [...path, 'retry'], findings);
  checkThrottle(job.concurrency, [...path, 'concurrency'], findings);
  checkMatrix(job, [...path, 'strategy', 'matrix'], findings);
  checkWorkflow(job, [...path, 'workflow'], findings);
  checkTerms(job, path, findings);
  checkAny(job, [...path, 'wait_for_any'], findings);
  if (!is_partial && !partial_root) checkInclude(job, document, path, findings);
  checkCaches(job, [...path, 'cache'], findings);
  const ids = new Set<string>();
  for (const [i, step] of (job.steps ?? []).entries()) {
    const at = [...path, 'steps', i];
    checkEnv(step.env, [...at, 'env'], findings);
    checkNul(step.run, [...at, 'run'], findings);
    checkDuration(step.timeout, [...at, 'timeout'], findings);
    checkRetry(step.retry, [...at, 'retry'], findings);
    if (step.id === undefined) continue;
    if (ids.has(step.id)) findings.atValue([...at, 'id'], `the job has another step \`${step.id}\``);
    ids.add(step.id);
  }
}

function checkKind(job: Job, path: Path, findings: Findings): void {
  const [kind, another] = KIND_NAMES.filter((one) => job[one] !== undefined);
  if (kind === undefined)
    return findings.atKey(
      path,
      'the job does nothing: give it `steps`, `wait_for_event`, `wait_for_signal`, `wait_for_any` or `workflow`',
    );
  if (another !== undefined)
    return findings.atKey(
      [...path, another],
      `\`${another}\` cannot be combined with \`${kind}\`; a job has one of them`,
    );
  for (const member of KIND_MEMBERS)
    if (job[member] !== undefined && !(KINDS[kind] as readonly string[]).includes(member))
      findings.atKey([...path, member], `\`${member}\` does nothing in a job with \`${kind}\``);
  if (job.steps?.length === 0) findings.atValue([...path, 'steps'], '`steps` is empty; give the job one step or more');
}

function checkTerms({ wait_for_signal, form, approvers, message }: Job, path: Path, findings: Findings): void {
  if (wait_for_signal?.startsWith('event:'))
    findings.atValue([...path, 'wait_for_signal'], 'names that begin with event: are reserved for the service');
  for (const { pointer, message: problem } of readTerms({ form, approvers, message }).faults)
    findings.atValue([...path, pointer.slice(1)], problem);
  for (const [member, text] of Object.entries({ wait_for_signal, form }))
    if (typeof text === 'string') checkLiteral(text, [...path, member], findings);
}

function checkAny({ wait_for_any: list }: Job, path: Path, findings: Findings): void {
  if (list === undefined) return;
  for (const { pointer, message } of validateAnyWait(list as Json)) {
    const below = pointer.split('/').slice(1);
    findings.atValue([...path, ...below.map((one, depth) => (depth === 0 ? Number(one) : one))], message);
  }
  for (const [i, one] of list.entries())
    for (const member of ['signal', 'event', 'ask', 'timeout'] as const)
      if (one[member] !== undefined) checkLiteral(one[member], [...path, i, member], findings);
}

function checkEnv(env: Job['env'], path: Path, findings: Findings): void {
  for (const name of Object.keys(env ?? {}))
    if (name.startsWith('SVC_'))
      findings.atKey(
        [...path, name],
        'variables that begin with SVC_ are reserved for the service; choose another name',
      );
  for (const [name, value] of Object.entries(env ?? {})) checkNul(String(value), [...path, name], findings);
}

/** YAML can write the character, and no process can get it. */
function checkNul(text: string | undefined, path: Path, findings: Findings): void {
  if (text?.includes('\0') === true)
    findings.atValue(path, 'this contains a NUL character (`\\0`), which no program can receive; remove it');
}

function checkCredentials(credentials: Job['credentials'], path: Path, findings: Findings): void {
  for (const [variable, name] of Object.entries(credentials ?? {})) {
    const at = [...path, variable];
    const error = variableFault(variable);
    if (error !== undefined) findings.atKey(at, `\`${variable}\` ${error}`);
    checkCredential(name, at, findings);
  }
}

function checkCredential(name: string, at: Path, findings: Findings): void {
  if (hasTemplate(name))
    findings.atValue(at, 'write the credential name literally: `${{ }}` is not allowed here', 'credential_invalid');
  else if (!CREDENTIAL.test(name))
    findings.atValue(at, 'this is not a credential name: letters, digits, _ and -, at most 63', 'credential_invalid');
}

function checkWorkflow({ workflow }: Job, path: Path, findings: Findings): void {
  if (typeof workflow !== 'object') return;
  const { graph, from_repo } = workflow;
  if ((graph === undefined) === (from_repo === undefined))
    return findings.atValue(path, '`workflow` must be a path, or have either `graph` or `from_repo`');
  if (!from_repo) return;
  checkCredential(from_repo.credential, [...path, 'from_repo', 'credential'], findings);
  for (const member of ['repo', 'path'] as const) {
    const text = from_repo[member];
    const error = hasTemplate(text) ? undefined : validatePath(text);
    if (error !== undefined) findings.atValue([...path, 'from_repo', member], `\`${member}\` ${error}`);
  }
}

/** Checks `include`: its files belong to a script that was submitted with the pipeline, and were uploaded before. */
function checkInclude(
  { workflow, include }: Job,
  { included = {} }: PipelineDocument,
  path: Path,
  findings: Findings,
): void {
  if (include === undefined || workflow === undefined) return;
  const at = [...path, 'include'];
  if (typeof workflow !== 'string' || /\.(ya?ml|json)$/i.test(workflow))
    return findings.atKey(at, '`include` needs a `workflow` that is the path of a script');
  if (!Object.hasOwn(included, String(path.at(-1))))
    findings.atKey(at, '`included` has no entry for this job; `svc` adds the files next to the script');
}

/** A cache is extracted in the workspace, so its files lie there. */
function checkCaches({ cache }: Job, path: Path, findings: Findings): void {
  for (const [i, { paths, files = [] }] of [cache ?? []].flat().entries())
    for (const [member, list] of Object.entries({ paths, files }))
      for (const [n, file] of list.entries())
        if (file.startsWith('/') || file.startsWith('~') || file.split('/').includes('..'))
          findings.atValue(
            [...path, ...(Array.isArray(cache) ? [i] : []), member, n],
            'a cache contains files in the workspace; let the program keep its files there, for instance with `npm_config_cache: .npm`',
          );
}

function checkRetry(retry: Retry | undefined, path: Path, findings: Findings): void {
  checkDuration(retry?.backoff, [...path, 'backoff'], findings);
}

function checkDuration(text: string | undefined, path: Path, findings: Findings): void {
  if (text === undefined) return;
  try {
    if (parseDuration(text) > 0 || path.at(-1) === 'backoff') return;
    findings.atValue(path, 'the time must be more than 0');
  } catch (error) {
    if (!isServiceError(error)) throw error;
    findings.atValue(path, error.message);
  }
}

function checkThrottle(concurrency: Concurrency | undefined, path: Path, findings: Findings): void {
  if (typeof concurrency !== 'object') return;
  for (const { message } of findConcurrencyErrors(concurrency, ''))
    findings.atValue([...path, 'throttle', 'period'], `the period of \`throttle\` ${message}`);
}

function checkMatrix({ strategy }: Job, path: Path, findings: Findings): void {
  if (!strategy) return;
  const { matrix } = strategy;
  if (typeof matrix === 'string') return checkComputed(matrix, path, findings);
  for (const [axis, values] of Object.entries(matrix))
    if (typeof values === 'string') checkComputed(values, [...path, axis], findings);
    else if (values?.length === 0 && axis !== 'include' && axis !== 'exclude')
      findings.atValue([...path, axis], `the axis \`${axis}\` has no values`);
  if (isComputed(strategy) || Object.values(matrix).some((values) => typeof values === 'string')) return;
  const listed = listCombinations(matrix as Matrix);
  if (!Array.isArray(listed)) findings.atKey(path, `the matrix ${listed.message}`);
  else if (listed.length === 0) findings.atKey(path, 'the matrix has no combinations');
}

/** A list that the outputs of other jobs make. */
function checkComputed(text: string, path: Path, findings: Findings): void {
  if (readCondition(text).nth === undefined)
    findings.atValue(path, 'must be a list, or a single `${{ }}` that returns one');
}

function checkLiteral(text: string, path: Path, findings: Findings): void {
  if (hasTemplate(text)) findings.atValue(path, '`${{ }}` is not evaluated here; write the literal value');
}
