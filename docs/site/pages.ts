import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { apiPages } from './api-reference.ts';
import { cataloguePage } from './catalogue.ts';
import { cliPages } from './cli-reference.ts';
import { errorsPage } from './errors-page.ts';

const clone = join(import.meta.dirname, '../..');

/** A page of the site, before VitePress renders it. */
export interface Page {
  /** The address below `/docs/`, without an ending: `tutorials/cron`. */
  path: string;
  /** The heading of the sidebar that it belongs to. */
  group: string;
  title: string;
  /** The file of this repository that it was written in; undefined for a generated page. */
  source?: string;
  /** Links lead to addresses below `/docs/`. */
  markdown: string;
}

/** The hand-written pages by heading, in the order in which people need them. Everything else is found by its place. */
const WRITTEN: readonly (readonly [group: string, names: readonly string[]])[] = [
  ['Start', ['start', 'replay']],
  [
    'Tutorials',
    ['deploy-approval', 'etl', 'webhook-to-slack', 'agent-with-tools', 'migrate-cron', 'migrate-github-workflow'].map(
      (name) => `tutorials/${name}`,
    ),
  ],
  ['Write workflows', ['scripts', 'functions', 'languages', 'pipelines', 'graphs', 'requests']],
  ['React and connect', ['events', 'deliveries', 'connectors', 'accounts', 'secrets', 'id-tokens', 'mcp']],
  ['Operate', ['projects', 'operations', 'configuration', 'databases', 'security', 'tracing', 'performance']],
  [
    'Come from another tool',
    ['compare', 'from-temporal', 'from-github-actions', 'from-inngest', 'from-dbos', 'from-restate'],
  ],
  ['Reference', ['cli', 'errors', 'glossary', 'conformance']],
  ['Extend', ['plugins', 'architecture']],
];

export const GROUPS = [...WRITTEN.map(([group]) => group), 'Connector catalogue', 'Commands', 'HTTP API', 'Inside svc'];

/** Files outside of docs/ that are pages too: where they lie decides their address. */
const OTHERS: readonly (readonly [pattern: string, path: (file: string) => string, group: string])[] = [
  ['README.md', () => 'overview', 'Start'],
  ['CHANGELOG.md', () => 'changelog', 'Extend'],
  ['CONTRIBUTING.md', () => 'contributing', 'Extend'],
  ['SECURITY.md', () => 'report-a-vulnerability', 'Operate'],
  ['kernel/GLOSSARY.md', () => 'inside/words', 'Inside svc'],
  ['connectors/*/README.md', (file) => `catalogue/${file.split('/')[1]}`, 'Connector catalogue'],
  [
    'plugins/{*,*/*,*/*/sdk}/README.md',
    (file) => `inside/${posix.dirname(file).slice('plugins/'.length)}`,
    'Inside svc',
  ],
  ['test/{kit,plugins/notes}/README.md', (file) => `inside/${posix.dirname(file)}`, 'Inside svc'],
];

const read = (file: string): string => readFileSync(join(clone, file), 'utf8');

export const titleOf = (markdown: string): string => (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '');

interface Written {
  file: string;
  path: string;
  group: string;
}

/** Every file that becomes a page, with its address. */
export function writtenPages(): Written[] {
  const found = globSync('docs/{,tutorials/}*.md', { cwd: clone }).toSorted();
  const named = WRITTEN.flatMap(([group, names]) =>
    names.map((name) => ({ file: `docs/${name}.md`, path: name, group })),
  ).filter(({ file }) => found.includes(file));
  // A new page is on the site before anybody has chosen its place.
  const rest = found
    .filter((file) => !named.some((one) => one.file === file))
    .map((file) => ({ file, path: file.slice('docs/'.length, -'.md'.length), group: 'Start' }));
  const others = OTHERS.flatMap(([pattern, pathOf, group]) =>
    globSync(pattern, { cwd: clone, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) })
      .toSorted()
      .map((file) => ({ file, path: pathOf(file), group })),
  );
  return [...named, ...rest, ...others];
}

/** Pictures that pages show, by their address below `/docs/`. */
export const PICTURES: Readonly<Record<string, string>> = Object.fromEntries(
  [...globSync('docs/images/*', { cwd: clone }), 'test/demo/session.svg'].map((file) => [
    `images/${posix.basename(file)}`,
    file,
  ]),
);

const LINK = /(!?)\[((?:[^[\]]|!?\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)/g;

/**
 * Leads the links of a file of the repository to the pages of the site. A file that is no page keeps its words without a link.
 * Throws for a link to nothing.
 */
export function onSite(markdown: string, file: string, paths: ReadonlyMap<string, string>): string {
  const lead = (whole: string, picture: string, words: string, target: string): string => {
    if (/^[a-z]+:/.test(target) || target.startsWith('#')) return whole;
    const [name = '', anchor] = target.split('#');
    const wanted = posix.join(posix.dirname(file), name).replace(/\/$/, '');
    if (picture === '!') return `![${words}](/images/${posix.basename(wanted)})`;
    const path = paths.get(wanted) ?? paths.get(`${wanted}/README.md`);
    if (path !== undefined) return `[${words}](/${path}${anchor === undefined ? '' : `#${anchor}`})`;
    if (wanted.startsWith('..') || !existsSync(join(clone, wanted)))
      throw new Error(`${file}: the link to ${target} leads to nothing`);
    return words;
  };
  // A label may hold inline code, so links are found in the whole text and examples are left alone.
  return markdown
    .split(/(^ *```[\s\S]*?^ *```$)/gm)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(LINK, lead)))
    .join('');
}

/** Comments are marks for programs, and the diagrams repeat tables and sentences next to them. */
const shown = (markdown: string): string =>
  markdown.replaceAll(/^<!--[\s\S]*?-->\n/gm, '').replaceAll(/^```mermaid\n[\s\S]*?^```\n/gm, '');

/** An example that is a file has its name above it. */
const withFileNames = (markdown: string): string => markdown.replaceAll(/^```(\w+) file=(\S+)$/gm, '`$2`\n\n```$1');

/** All pages of the site: those that people wrote, and the references that are generated. */
export async function allPages(version: string): Promise<Page[]> {
  const files = writtenPages();
  const paths = new Map(files.map(({ file, path }) => [file, path]));
  paths.set('plugins', 'inside/platform');
  paths.set('connectors', 'catalogue');
  paths.set('docs', 'start');
  const written = files
    .filter(({ path }) => path !== 'errors')
    .map(({ file, path, group }): Page => {
      const markdown = withFileNames(shown(onSite(read(file), file, paths)));
      return {
        path,
        group,
        source: file,
        markdown,
        title: file === 'README.md' ? 'Overview' : titleOf(markdown) || path,
      };
    });
  const generated = [await errorsPage(), cataloguePage(), ...(await cliPages()), ...(await apiPages(version))];
  return [...written, ...generated].toSorted(byPlace(files.map(({ path }) => path)));
}

/** By the sidebar: headings, then the order of the lists above, then what is generated as it comes. */
const byPlace = (order: readonly string[]) => (one: Page, other: Page) => {
  const place = ({ group }: Page) => GROUPS.indexOf(group);
  const rank = ({ path }: Page) => (order.includes(path) ? order.indexOf(path) : order.length);
  return place(one) - place(other) || rank(one) - rank(other);
};
