import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Invocation, Run } from '../command.ts';
import { CliError, Exit, usageError } from '../errors.ts';
import { nearest } from '../find.ts';
import TOPICS from '../generated/topics.json' with { type: 'json' };
import { openInBrowser } from '../open-in-browser.ts';
import { packageFolder } from '../version.ts';
import { errorCodes } from './errors.ts';

interface Topic {
  topic: string;
  group: string;
  title: string;
  /** The file of a clone in which it is written. */
  source?: string;
  /** The commands and verbs that the page describes. */
  commands?: readonly string[];
}

interface TopicLocation {
  topic: Topic;
  /** The heading of a part of the page, without the marks. */
  heading?: string;
}

const topics: readonly Topic[] = TOPICS;

const named = (name: string): Topic | undefined => topics.find(({ topic }) => topic === name);

/** Finds a page by its name, by a command or an error code that it describes, or by the last part of its name. */
function findLocation(query: string): TopicLocation | undefined {
  const exact = named(query);
  if (exact) return { topic: exact };
  const command = query.replace(/^svc /, '');
  const described = topics.find(({ commands = [] }) => commands.includes(command));
  if (described) return { topic: described, heading: `svc ${command}` };
  const errors = named('errors');
  if (errors && errorCodes().some(([code]) => code === query)) return { topic: errors, heading: query };
  const last = topics.find(({ topic }) => topic.endsWith(`/${query}`));
  return last && { topic: last };
}

const pathOf = ({ topic, heading }: TopicLocation): string =>
  `/docs/${topic.topic}${heading === undefined ? '' : `#${heading.replaceAll(' ', '-')}`}`;

function unknown(query: string): CliError {
  const names = topics.flatMap(({ topic, commands = [] }) => [topic, topic.split('/').at(-1)!, ...commands]);
  const suggestions = nearest(query, [...new Set([...names, ...errorCodes().map(([code]) => code)])]);
  const guesses = suggestions.map((name) => `\`svc docs ${name}\``).join(' or ');
  return usageError(
    `unknown topic "${query}"`,
    guesses === '' ? '`svc docs` lists all topics' : `did you mean ${guesses}?`,
  );
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The page as Markdown: from its file in a clone, which may be newer than the built site, or from the site. */
export async function textOf(
  { topic, source }: Pick<Topic, 'topic' | 'source'>,
  home = packageFolder(),
): Promise<string> {
  const written = source && (await readIfThere(join(home, source)));
  if (written) return String(written);
  const packed = await readIfThere(join(home, 'plugins/operations/docs/dist/texts.json.br'));
  const built = packed && (JSON.parse(String(brotliDecompressSync(packed))) as Record<string, string>)[topic];
  if (built) return built;
  throw new CliError(
    Exit.failed,
    'docs_not_built',
    `the page "${topic}" is generated and has not been built in this clone`,
    'build the documentation with `npm run docs`',
  );
}

/** A heading with everything below it, up to the next one of the same level. */
function sectionOf(text: string, heading: string): string {
  const sections = text.split(/^(?=## )/m);
  return sections.find((section) => section.startsWith(`## ${heading}\n`)) ?? text;
}

async function addressOf(location: TopicLocation, { profile }: Invocation): Promise<string> {
  const offline = `\`svc docs ${location.heading?.replace(/^svc /, '') ?? location.topic.topic} --text\` prints the page here`;
  try {
    const { url } = await profile();
    if (!url.startsWith('unix:')) return new URL(pathOf(location), url).href;
    throw usageError('your server has no address that a browser can open', offline);
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== Exit.notAuthenticated) throw error;
    throw new CliError(error.exit, error.code, error.message, `${error.next}; ${offline}`, error.details);
  }
}

function list({ output }: Invocation): void {
  output.data({ topics: topics.map(({ topic, group, title }) => ({ topic, group, title })) }, () =>
    output.table(
      ['Topic', 'Title', 'Part'],
      topics.map(({ topic, group, title }) => [topic, title, group]),
    ),
  );
}

/** `svc docs [<topic>]`. */
export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  if (args.length === 0) {
    list(invocation);
    return undefined;
  }
  const query = args.join(' ');
  const location = findLocation(query);
  if (!location) throw unknown(query);
  const { topic, heading } = location;
  if (flags.text === true) {
    const text = await textOf(topic);
    const content = heading === undefined ? text : sectionOf(text, heading);
    output.data({ topic: topic.topic, title: topic.title, text: content }, () => content);
    return undefined;
  }
  const url = await addressOf(location, invocation);
  if (flags.open === true && !(await openInBrowser(url)))
    output.note('cannot open a browser on this machine; open this address yourself:');
  output.data({ topic: topic.topic, title: topic.title, url }, () => url);
  return undefined;
};
