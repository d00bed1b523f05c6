import type { Client } from './client/client.ts';
import type { Command, FlagValues } from './command.ts';
import { CliError, Exit, usageError } from './errors.ts';
import { lastRun } from './last-run.ts';

const LAST = '@last';
/** The last characters of an id, which are random; fewer would often fit several. */
const ENDING = /^[0-9a-z]{4,25}$/i;
const PAGE = 200;
const PAGES = 5;

type Given = { args: readonly string[]; flags: FlagValues };

interface Page {
  runs: { run_id: string }[];
  next_cursor?: string;
}

interface Asked {
  client: () => Promise<Client>;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * What a command was given, with the whole ids of the runs that it names: `@last` is the one that was submitted last from
 * this folder, an ending has to be of one run.
 */
export async function wholeRunIds(
  { args: described = [], flags: known = {} }: Pick<Command, 'args' | 'flags'>,
  { args, flags }: Given,
  { client, env }: Asked,
): Promise<Given> {
  const whole = async (text: string) => {
    if (text === LAST) return submittedLast(await client(), env);
    return ENDING.test(text) ? endingWith(await client(), text) : text;
  };
  const places: string[] = [];
  for (const [at, text] of args.entries()) places.push(described[at]?.run === true ? await whole(text) : text);
  const named: Record<string, FlagValues[string]> = { ...flags };
  for (const [name, { run }] of Object.entries(known)) {
    if (run === undefined || run === false) continue;
    const before = run === true ? '' : run;
    const one = async (text: string) =>
      text.startsWith(before) ? before + (await whole(text.slice(before.length))) : text;
    const given = flags[name];
    if (typeof given === 'string') named[name] = await one(given);
    else if (Array.isArray(given)) named[name] = await Promise.all((given as string[]).map(one));
  }
  return { args: places, flags: named };
}

const pageOf = (api: Client, limit: number, cursor?: string) =>
  api.json<Page>({ path: api.scoped('/runs'), query: { limit, cursor } });

/** The newest run of the project may be somebody else's. */
async function submittedLast({ profile }: Client, env: Asked['env']): Promise<string> {
  const folder = process.cwd();
  const found = await lastRun(profile, { env, folder });
  if (found !== undefined) return found;
  const { org, project } = profile;
  throw noRun(`no run was submitted from ${folder}, or a folder above it, to project ${project} of org ${org}`);
}

async function endingWith(api: Client, ending: string): Promise<string> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const { runs, next_cursor } = await pageOf(api, PAGE, cursor);
    found.push(...runs.map(({ run_id }) => run_id).filter((id) => id.toUpperCase().endsWith(ending.toUpperCase())));
    cursor = next_cursor;
    if (cursor === undefined) break;
  }
  const [only, other] = found;
  if (only === undefined) throw noRun(`none of the newest ${PAGES * PAGE} runs has an id that ends with ${ending}`);
  if (other !== undefined)
    throw usageError(
      `${found.length} runs have ids that end with ${ending}: ${found.slice(0, 5).join(', ')}`,
      'give more of it',
    );
  return only;
}

const noRun = (message: string) => new CliError(Exit.failed, 'not_found', message, 'see `svc runs ls`');
