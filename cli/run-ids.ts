import type { Client } from './client/client.ts';
import type { Command, FlagValues } from './command.ts';
import { CliError, Exit, usageError } from './errors.ts';

const LAST = '@last';
/** The last characters of an id, which are random. Fewer would often match several runs. */
const ENDING = /^[0-9a-z]{4,25}$/i;
/** All of an id but its prefix. */
const WITHOUT_PREFIX = /^[0-9a-z]{26}$/i;
const PAGE = 200;
const PAGES = 5;

type CommandInput = { args: readonly string[]; flags: FlagValues };

interface Page {
  runs: { run_id: string }[];
  next_cursor?: string;
}

interface RunLookup {
  client: () => Promise<Client>;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Replaces short names of runs by their ids in the arguments and flags of a command: `@last` is the run that was submitted
 * last from this folder, and the last characters of an id must match exactly one run.
 */
export async function resolveRunIds(
  { args: arg_names = [], flags: flag_names = {} }: Pick<Command, 'args' | 'flags'>,
  { args, flags }: CommandInput,
  { client, env }: RunLookup,
): Promise<CommandInput> {
  const resolveRunId = async (text: string) => {
    if (text === LAST) return lastSubmittedRun(await client(), env);
    if (WITHOUT_PREFIX.test(text)) return `run_${text.toUpperCase()}`;
    return ENDING.test(text) ? findByEnding(await client(), text) : text;
  };
  const resolved: string[] = [];
  for (const [at, text] of args.entries()) resolved.push(arg_names[at]?.run === true ? await resolveRunId(text) : text);
  const resolved_flags: Record<string, FlagValues[string]> = { ...flags };
  for (const [name, { run }] of Object.entries(flag_names)) {
    if (run === undefined || run === false) continue;
    const prefix = run === true ? '' : run;
    const resolveFlag = async (text: string) =>
      text.startsWith(prefix) ? prefix + (await resolveRunId(text.slice(prefix.length))) : text;
    const raw = flags[name];
    if (typeof raw === 'string') resolved_flags[name] = await resolveFlag(raw);
    else if (Array.isArray(raw)) resolved_flags[name] = await Promise.all((raw as string[]).map(resolveFlag));
  }
  return { args: resolved, flags: resolved_flags };
}

const readRunPage = (api: Client, limit: number, cursor?: string) =>
  api.json<Page>({ path: api.scoped('/runs'), query: { limit, cursor } });

/** Looks up the run that was submitted from here. The newest run of the project may be somebody else's. */
async function lastSubmittedRun({ profile }: Client, env: RunLookup['env']): Promise<string> {
  const folder = process.cwd();
  // It loads what hashes, which other commands do without.
  const { lastRun } = await import('./last-run.ts');
  const run_id = await lastRun(profile, { env, folder });
  if (run_id !== undefined) return run_id;
  const { org, project } = profile;
  throw noRun(`no run was submitted from ${folder}, or a folder above it, to project ${project} of org ${org}`);
}

async function findByEnding(api: Client, ending: string): Promise<string> {
  const matches: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const { runs, next_cursor } = await readRunPage(api, PAGE, cursor);
    matches.push(...runs.map(({ run_id }) => run_id).filter((id) => id.toUpperCase().endsWith(ending.toUpperCase())));
    cursor = next_cursor;
    if (cursor === undefined) break;
  }
  const [only, other] = matches;
  if (only === undefined) throw noRun(`none of the newest ${PAGES * PAGE} runs has an ID that ends with ${ending}`);
  if (other !== undefined)
    throw usageError(
      `${matches.length} runs have IDs that end with ${ending}: ${matches.slice(0, 5).join(', ')}`,
      'write more characters of the ID',
    );
  return only;
}

const noRun = (message: string) => new CliError(Exit.failed, 'not_found', message, 'see `svc runs ls`');
