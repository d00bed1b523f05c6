import type { Client } from './client/client.ts';
import type { Command, FlagValues } from './command.ts';
import { CliError, Exit, usageError } from './errors.ts';

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

/** What a command was given, with the whole ids of the runs that it names: `@last` is the newest, an ending has to be of one run. */
export async function wholeRunIds(
  { args: described = [], flags: known = {} }: Pick<Command, 'args' | 'flags'>,
  { args, flags }: Given,
  client: () => Promise<Client>,
): Promise<Given> {
  const whole = async (text: string) => {
    if (text === LAST) return newest(await client());
    return ENDING.test(text) ? endingWith(await client(), text) : text;
  };
  const places: string[] = [];
  for (const [at, text] of args.entries()) places.push(described[at]?.run === true ? await whole(text) : text);
  const named: Record<string, FlagValues[string]> = { ...flags };
  for (const [name, { run }] of Object.entries(known)) {
    const text = flags[name];
    if (run === true && typeof text === 'string') named[name] = await whole(text);
  }
  return { args: places, flags: named };
}

const pageOf = (api: Client, limit: number, cursor?: string) =>
  api.json<Page>({ path: api.scoped('/runs'), query: { limit, cursor } });

async function newest(api: Client): Promise<string> {
  const { runs } = await pageOf(api, 1);
  if (runs[0] === undefined) throw noRun('there is no run in this project');
  return runs[0].run_id;
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
