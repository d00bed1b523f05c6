import {
  type Api,
  type Client,
  CliError,
  contentsOf,
  Exit,
  type Invocation,
  readWorkflow,
  type Run,
  usageError,
} from '../../../../cli/contract.ts';
import { bundleScript, type Bundle } from './check-bundle.ts';
import type { ReplayResult } from './check-replay.ts';

const SYNTAX = 'javascript_syntax';

type Problem = Api.CheckedWorkflow['problems'][number];

/** Longer lines are not quoted. */
const MAX_QUOTED = 500;
/** Refusals that speak of what a project keeps. */
const PROJECT_CODES = new Set(['credential_missing', 'not_found']);
/** Refusals that speak of one file. */
const DOCUMENT_CODES = new Set(['invalid_request', 'payload_too_large', 'workflow_kind_unknown']);

interface Result extends Api.CheckedWorkflow {
  file: string;
  /** With --replay, when nothing else is wrong. */
  replay?: Omit<ReplayResult, 'problems'>;
}

export const run: Run = async (invocation) => {
  const { flags } = invocation;
  if (flags.replay !== undefined) assertScript(invocation);
  const local = flags.local === true || (flags.replay === undefined && !(await hasServer(invocation)));
  if (!local) return checkAll(invocation, await invocation.client());
  if (flags.replay !== undefined)
    throw usageError('--local and --replay cannot be combined', "only the run's server has its history");
  const { client, stop } = await invocation.local();
  try {
    return await checkAll({ ...invocation, flags: { ...flags, local: true } }, client);
  } finally {
    await stop();
  }
};

/** Without a profile, and without variables that name a server, the check is done here. */
async function hasServer({ env, flags, output, profile }: Invocation): Promise<boolean> {
  const named = [flags.profile, env.SVC_PROFILE, env.SVC_URL, env.SVC_TOKEN].some(
    (one) => one !== undefined && one !== '',
  );
  try {
    await profile();
    return true;
  } catch (error) {
    if (named || !(error instanceof CliError) || error.exit !== Exit.notAuthenticated) throw error;
    output.note('no server is configured, so files are checked locally, without a project');
    return false;
  }
}

async function checkAll(invocation: Invocation, api: Client): Promise<number> {
  const { args, flags, output } = invocation;
  // Here it bounds the replay, and is nothing of the workflow.
  const { timeout: _seconds, ...ofWorkflow } = flags;
  const results: Result[] = [];
  const sources: string[] = [];
  for (const file of args) {
    const read = await readWorkflow(file, { ...invocation, flags: ofWorkflow }, 'written').catch(toFileProblems);
    const refused = Array.isArray(read) ? (read as Problem[]) : undefined;
    const body = refused ? {} : (read as Record<string, unknown>);
    const written = typeof body.source === 'string' ? body.source : '';
    const whole = await bundleScript(file, invocation, written);
    const answer = mergeBundleProblems(
      refused ? { ok: false, problems: refused } : await checkDocument(api, body),
      whole,
      written,
    );
    const result = {
      file,
      ...(flags.local === true ? await addLocalWarnings(answer, file, flags.interpreter, body.files) : answer),
    };
    results.push(
      flags.replay !== undefined && result.ok
        ? await addReplayResult(api, invocation, result, { ...body, source: whole.source }, contentsOf(body))
        : result,
    );
    sources.push(written);
  }
  output.data({ files: results }, () =>
    results
      .flatMap(({ file, ok, problems, warnings = [], notes = [], replay }, n) => [
        ...problems.map((problem) => formatProblem(file, problem, sources[n]!)),
        ...warnings.map((one) => formatProblem(file, { ...one, message: `warning: ${one.message}` }, sources[n]!)),
        ...notes.map((note) => `${file}: note: ${note}`),
        ...(ok ? [`${file}: ${replay?.note ?? verdict(warnings.length)}`] : []),
      ])
      .join('\n'),
  );
  const sound = ({ ok, warnings = [] }: Result) => ok && (flags.strict !== true || warnings.length === 0);
  return results.every(sound) ? Exit.ok : Exit.failed;
}

/** A file without errors, which may have warnings. */
const verdict = (warnings: number): string =>
  warnings === 0 ? 'ok' : `no errors, ${warnings} warning${warnings === 1 ? '' : 's'}`;

/** What a bundle is made of need not be what Node takes: an enum becomes something else. */
function mergeBundleProblems(
  answer: Api.CheckedWorkflow,
  { source, problems }: Bundle,
  written: string,
): Api.CheckedWorkflow {
  const left = source === written ? answer.problems : answer.problems.filter(({ code }) => code !== SYNTAX);
  return { ...answer, ok: left.length + problems.length === 0, problems: [...left, ...problems] };
}

/** What this machine knows besides: imports that it does not have. */
async function addLocalWarnings(
  answer: Api.CheckedWorkflow,
  file: string,
  interpreter: unknown,
  included: unknown,
): Promise<Api.CheckedWorkflow> {
  const result = dropProjectProblems(answer);
  const { findMissingImports: missingImports } = await import('./missing-imports.ts');
  const missing = result.ok ? await missingImports(file, interpreter, included as Api.RunDocument['files']) : [];
  return missing.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...missing] };
}

/** The project of a local check has nothing: what a document names of a project is no problem of the document. */
function dropProjectProblems({
  problems,
  warnings = [],
  notes = [],
  ...rest
}: Api.CheckedWorkflow): Api.CheckedWorkflow {
  const isLeft = ({ code }: Problem) => !PROJECT_CODES.has(code);
  const left = problems.filter(isLeft);
  const warned = warnings.filter(isLeft);
  const said = [...problems, ...warnings]
    .filter((problem) => !isLeft(problem))
    .map(({ line, column, message }) => `only a server can check ${line}:${column}: ${message}`);
  const more = notes.length + said.length > 0 ? { notes: [...notes, ...said] } : {};
  return { ...rest, ok: left.length === 0, problems: left, ...(warned.length > 0 && { warnings: warned }), ...more };
}

/** Other documents would be run as if they were shell scripts. */
function assertScript({ args, flags }: Pick<Invocation, 'args' | 'flags'>): void {
  const { as = 'script', interpreter } = flags;
  const other = args.find(
    (file) => /\.(ya?ml|json)$/i.test(file) && interpreter === undefined && flags.as === undefined,
  );
  if (as !== 'script' || other !== undefined)
    throw usageError(
      `--replay works only with scripts, not ${other ?? `--as ${as}`}`,
      'check other documents without --replay',
    );
}

async function addReplayResult(
  api: Client,
  invocation: Invocation,
  result: Result,
  { filename, source, files }: Record<string, unknown>,
  contents: ReadonlyMap<string, Buffer>,
): Promise<Result> {
  const { replayScript: replayed } = await import('./check-replay.ts');
  const { problems, ...replay } = await replayed(api, invocation, {
    filename: filename as string | undefined,
    source: String(source),
    files: files as Api.RunDocument['files'],
    contents,
  });
  return { ...result, ok: problems.length === 0, problems, replay };
}

/** A file that is too large to be sent at all, or what it includes. */
function toFileProblems(error: unknown): Problem[] {
  if (!(error instanceof CliError) || !(error.code === 'payload_too_large' || error.code.startsWith('include_')))
    throw error;
  return [{ line: 1, column: 1, message: error.message, code: error.code }];
}

/** A refusal of the document as a whole is a problem of it: the other files are still checked. */
async function checkDocument(api: Client, body: Record<string, unknown>): Promise<Api.CheckedWorkflow> {
  try {
    return await api.json<Api.CheckedWorkflow>({ method: 'POST', path: api.scoped('/check'), body });
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    if (typeof code !== 'string' || !DOCUMENT_CODES.has(code)) throw error;
    return { ok: false, problems: [{ line: 1, column: 1, message, code }] };
  }
}

/** `file:line:column: message (code)`, the line, and a caret below the place. */
function formatProblem(file: string, { line, column, message, code }: Problem, source: string): string {
  const head = `${file}:${line}:${column}: ${message} (${code})`;
  const text = source.split(/\r\n|\r|\n/)[line - 1];
  if (text === undefined || text.trim() === '' || text.length > MAX_QUOTED) return head;
  const margin = ' '.repeat(String(line).length);
  // A tab stays a tab, so that the caret is below its place however wide a tab is.
  const below = text.slice(0, column - 1).replaceAll(/[^\t]/g, ' ');
  return `${head}\n  ${line} | ${text}\n  ${margin} | ${below}^`;
}
