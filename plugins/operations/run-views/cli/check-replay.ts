import { type Api, type Client, type Invocation, readPairs, runTool, usageError } from '../../../../cli/contract.ts';

type History = Omit<Api.RunHistory, 'next_cursor'>;

/** What a replay on the history of a run came to. */
export interface ReplayResult {
  run_id: string;
  outcome: string;
  read: number;
  recorded: number;
  note: string;
  problems: Api.CheckedWorkflow['problems'];
}

/** Plays a script on the history of a run, in this process. Nothing of the server is changed. */
export async function replayScript(
  api: Client,
  { flags, env }: Pick<Invocation, 'flags' | 'env'>,
  document: {
    filename: string | undefined;
    source: string;
    files: Api.RunDocument['files'];
    contents: ReadonlyMap<string, Buffer>;
  },
): Promise<ReplayResult> {
  const history = await readHistory(api, String(flags.replay));
  if (document.files === undefined) await assertFilesPresent(api, history.run_id);
  const given = readPairs((flags.env as readonly string[] | undefined) ?? [], 'env');
  const { interpreter = history.interpreter } = flags as { interpreter?: string };
  const play: unknown = {
    ...history,
    ...document,
    interpreter,
    env: { ...history.env, ...given },
    credentials: history.credentials.filter((name) => !(name in given)),
    timeout_ms: Number(flags.timeout ?? DEFAULT_SECONDS) * 1000,
  };
  const { json } = await runTool({ tool: 'script-replay' }, { env, input: play });
  return json as ReplayResult;
}

/** The server returns no contents of files; the author of the script has them. */
async function assertFilesPresent(api: Client, run_id: string): Promise<void> {
  const { files = [] } = await api.json<Api.RunDocument>({ path: api.scoped(`/runs/${run_id}/document`) });
  if (files.length === 0) return;
  const names = files.slice(0, 3).map(({ path }) => path);
  const more = files.length > names.length ? ', …' : '';
  throw usageError(
    `${run_id} includes files with its script: ${names.join(', ')}${more}`,
    'add them with --include, as you did when you submitted it',
  );
}

const DEFAULT_SECONDS = 60;

async function readHistory(api: Client, run_id: string): Promise<History> {
  const path = api.scoped(`/runs/${encodeURIComponent(run_id)}/history`);
  const records: Api.RunHistory['records'] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await api.json<Api.RunHistory>({ path, query: { cursor, limit: 200 } });
    records.push(...page.records);
    if (page.next_cursor === undefined) return { ...page, records };
    cursor = page.next_cursor;
  }
}
