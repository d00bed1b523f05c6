// Builds the site of the documentation into plugins/operations/docs/dist, where the server and `svc docs` read it.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { allPages, GROUPS, type Page, PICTURES } from './pages.ts';

const clone = join(import.meta.dirname, '../..');
const staging = join(import.meta.dirname, 'dist');
/** Here the site is built, and here it is served from. */
const out = join(staging, 'site');
const served = join(clone, 'plugins/operations/docs/dist');
const TOPICS = join(clone, 'cli/generated/topics.json');
const ICON = join(clone, 'plugins/operations/console/web/public/icon.svg');
const MARK = '.built-from';

interface SidebarGroup {
  text: string;
  collapsed: boolean;
  items: { text: string; link: string }[];
}

/** What the configuration of VitePress reads. */
export interface Staged {
  version: string;
  out: string;
  /** Where a reader can change a page, with `:path` for its file; pages have no such link without it. */
  edit_link: string | undefined;
  /** By the beginning of the addresses that show it. */
  sidebar: Record<string, SidebarGroup[]>;
}

/** These headings are open when somebody arrives. */
const OPEN = new Set(['Start', 'Tutorials', 'Write workflows', 'React and connect']);

const put = (path: string, text: string | Buffer): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** The references are long: each has a sidebar of its own, and one line in that of all other pages. */
const REFERENCES: Readonly<Record<string, string>> = {
  'Connector catalogue': '/catalogue',
  Commands: '/cli/',
  'HTTP API': '/api/',
  'Inside svc': '/inside/',
};

function sidebarOf(pages: readonly Page[]): Staged['sidebar'] {
  const groups = GROUPS.map((text) => ({
    text,
    collapsed: false,
    items: pages.filter(({ group }) => group === text).map((page) => ({ text: page.title, link: `/${page.path}` })),
  })).filter(({ items }) => items.length > 0);
  const first = groups.filter(({ text }) => REFERENCES[text] === undefined);
  const references = groups.filter(({ text }) => REFERENCES[text] !== undefined);
  const lines = references.map(({ text, items }) => ({ text, link: items[0]!.link }));
  const main = first.map((group) => ({
    ...group,
    collapsed: !OPEN.has(group.text),
    items: group.text === 'Reference' ? [...lines, ...group.items] : group.items,
  }));
  const back = { text: 'All guides', link: '/start' };
  const own = references.map((group): [string, SidebarGroup[]] => [
    REFERENCES[group.text]!,
    [{ ...group, items: [back, ...group.items] }],
  ]);
  return { '/': main, ...Object.fromEntries(own) };
}

/** Writes what VitePress reads. */
function stage(pages: readonly Page[], staged: Staged): void {
  rmSync(join(staging, 'pages'), { recursive: true, force: true });
  put(join(staging, 'site.json'), JSON.stringify(staged));
  for (const { path, title, source, markdown } of pages) {
    // The changelog mentions everything, and explains none of it.
    const facts = {
      title,
      ...(path === 'changelog' && { search: false }),
      ...(source === undefined ? { editLink: false } : { source }),
    };
    const head = Object.entries(facts).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
    put(join(staging, 'pages', `${path}.md`), `---\n${head.join('')}---\n\n${markdown}`);
  }
  put(join(staging, 'pages/index.md'), readFileSync(join(import.meta.dirname, 'home.md')));
  for (const [path, file] of Object.entries(PICTURES)) {
    put(join(staging, 'pages/public', path), readFileSync(join(clone, file)));
  }
  cpSync(ICON, join(staging, 'pages/public/icon.svg'));
}

const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * The server allows scripts and styles of its own files only: inline scripts become files, and the colours of code a style
 * sheet.
 */
function withoutInline(): void {
  const assets = join(out, 'assets');
  const scripts = new Map<string, string>();
  const css = readFileSync(join(out, 'code.css'));
  const style = `code.${digestOf(css)}.css`;
  put(join(assets, style), css);
  rmSync(join(out, 'code.css'));
  rmSync(join(out, 'hashmap.json'));
  for (const path of globSync('**/*.html', { cwd: out })) {
    const html = readFileSync(join(out, path), 'utf8')
      .replaceAll(/<script( id="[^"]*")?>([\s\S]*?)<\/script>/g, (_, id: string | undefined, text: string) => {
        const name = `inline.${digestOf(text)}.js`;
        scripts.set(name, text);
        return `<script${id ?? ''} src="/docs/assets/${name}"></script>`;
      })
      // The style sheet of the theme has the same.
      .replaceAll(/ style="(?:--vp-vh:0px;|position:relative;)?"/g, '')
      .replace('</head>', `  <link rel="stylesheet" href="/docs/assets/${style}">\n  </head>`);
    writeFileSync(join(out, path), html);
  }
  for (const [name, text] of scripts) put(join(assets, name), text);
}

const compressed = promisify(brotliCompress);

/** Higher qualities take several times as long and save a few hundredths. */
const brotli = (body: Buffer): Promise<Buffer> =>
  compressed(body, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 7, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  });

/** Text is kept compressed only, which makes the package a third as large: every browser accepts it. */
async function compress(): Promise<void> {
  const paths = globSync('**/*.{js,css,svg,html}', { cwd: out }).map((path) => join(out, path));
  await Promise.all(
    paths.map(async (path) => {
      writeFileSync(`${path}.br`, await brotli(readFileSync(path)));
      rmSync(path);
    }),
  );
}

/** The pages as Markdown in one file, for `svc docs --text`. */
async function putTexts(pages: readonly Page[]): Promise<void> {
  const texts = Object.fromEntries(pages.map(({ path, markdown }) => [path, markdown]));
  put(join(out, 'texts.json.br'), await brotli(Buffer.from(JSON.stringify(texts))));
}

/** The pages by name for `svc docs`, with the commands and verbs that a page describes. */
export function topicsOf(pages: readonly Page[]): string {
  const topics = pages.map(({ path, group, title, source, markdown }) => {
    const commands = [...markdown.matchAll(/^## svc (.+)$/gm)].map(([, command]) => command);
    return { topic: path, group, title, ...(source ? { source } : { commands }) };
  });
  return `[\n${topics.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`;
}

/** The files that the site is made of, besides the pages. */
export function siteSources(): string[] {
  const sources = globSync('{*.{ts,md},.vitepress/**/*.*}', { cwd: import.meta.dirname }).toSorted();
  return [
    ...sources.map((path) => join(import.meta.dirname, path)),
    ...Object.values(PICTURES).map((path) => join(clone, path)),
    ICON,
    join(clone, 'package-lock.json'),
  ];
}

function digest(pages: readonly Page[], staged: Staged): string {
  const sum = createHash('sha256').update(JSON.stringify([pages, staged]));
  for (const path of siteSources()) sum.update(`${path.slice(clone.length)}\0`).update(readFileSync(path));
  return sum.digest('hex');
}

/** Puts the new site in place of the one that is served: what a server finds is never half of one. */
function replaceServed(): void {
  const old = join(staging, 'old');
  rmSync(old, { recursive: true, force: true });
  mkdirSync(dirname(served), { recursive: true });
  if (existsSync(served)) renameSync(served, old);
  renameSync(out, served);
  rmSync(old, { recursive: true, force: true });
}

const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as { version: string }).version;

/** Returns true when the site was built, false when it is up to date. */
export async function buildSite(collected?: readonly Page[]): Promise<boolean> {
  const version = packageVersion();
  const pages = collected ?? (await allPages(version));
  const staged = { version, out, edit_link: process.env.SVC_DOCS_EDIT_LINK, sidebar: sidebarOf(pages) };
  const wanted = digest(pages, staged);
  const mark = join(served, MARK);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return false;
  stage(pages, staged);
  rmSync(out, { recursive: true, force: true });
  const { build } = await import('vitepress');
  await build(import.meta.dirname);
  withoutInline();
  await compress();
  await putTexts(pages);
  put(join(out, MARK), wanted);
  replaceServed();
  return true;
}

if (process.argv[1] === import.meta.filename) {
  // Collecting the pages starts a server for the description of its API, so it happens once.
  const pages = await allPages(packageVersion());
  // A name of a page that changed is committed, so that `svc docs` knows it in a clone without the site.
  put(TOPICS, topicsOf(pages));
  const began = performance.now();
  const built = await buildSite(pages);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(built ? `The documentation was built in ${seconds} s.` : 'The documentation is up to date.');
  console.log('`svc dev` and `svc serve` show it under /docs; `svc docs` prints the address.');
}
