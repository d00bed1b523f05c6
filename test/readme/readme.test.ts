import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { Service } from '../../features/support/process.ts';
import { renameStarter } from '../../cli/commands/plugin-starter.ts';
import { clone, svcProgram } from '../../features/support/target.ts';
import { errorModule, errorTable } from './errors.ts';
import { homeFolder } from '../../features/support/home.ts';
import { type Need, needs } from '../kit/needs.ts';
import { fillFromTemplate } from '../kit/templates.ts';

interface Block {
  language: string;
  file: string | undefined;
  text: string;
}

const blocks = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)].map(([, language = '', file, text = '']) => ({
    language,
    file,
    text,
  }));

/** `$ command` lines with what each of them prints, where … stands for anything. */
function session(text: string): { command: string; prints: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.split('\n');
      return { command, prints: lines.join('\n').trim() };
    });
}

const linePattern = (line: string): string =>
  line
    .split('…')
    .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');

/** A person types slower than this test, whose signal may come before the run waits for it. The run takes it all the same. */
function answersOf(line: string): string {
  const [, name, run] = /^Sent signal (\S+) to (\S+)$/.exec(line) ?? [];
  if (name === undefined) return linePattern(line);
  return `(?:${[line, `Queued signal ${name}: nothing in ${run} is waiting for it`].map(linePattern).join('|')})`;
}

const pattern = (prints: string) => new RegExp(`^${prints.split('\n').map(answersOf).join('\\s*?\\n')}\\s*$`, 's');

/** One shell for all commands, so that variables last; a line of its own parts the answers. */
async function runAll(commands: readonly string[], cwd: string, env: Record<string, string>): Promise<string[]> {
  const mark = '---- answered ----';
  // An example that waits for what does not come ends too, with all that it started.
  const child = spawn('timeout', ['-k', '5', '300', 'bash', '-s'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.end(commands.map((command) => `{ ${command}\n} 2>&1; echo '${mark}'\n`).join(''));
  await once(child, 'close');
  return Buffer.concat(chunks).toString('utf8').split(`${mark}\n`);
}

/** The pages whose examples are run, each in a folder and on a server of its own. */
const PAGES = [
  'README.md',
  'docs/scripts.md',
  'docs/functions.md',
  'docs/languages.md',
  'docs/secrets.md',
  'docs/projects.md',
  'docs/events.md',
  'docs/deliveries.md',
  'docs/connectors.md',
  'docs/graphs.md',
  'docs/pipelines.md',
  'docs/operations.md',
  'docs/start.md',
  'docs/cli.md',
  'docs/replay.md',
  'docs/plugins.md',
  'docs/tracing.md',
  'docs/from-temporal.md',
  'docs/from-github-actions.md',
  'docs/from-inngest.md',
  'docs/from-dbos.md',
  'docs/from-restate.md',
  'docs/tutorials/deploy-approval.md',
  'docs/tutorials/etl.md',
  'docs/tutorials/webhook-to-slack.md',
  'docs/tutorials/agent-with-tools.md',
  'docs/tutorials/migrate-cron.md',
  'docs/tutorials/migrate-github-workflow.md',
];

/** Of pages that show more than every machine has. */
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  'README.md': ['python3'],
  'docs/scripts.md': ['python3'],
  'docs/functions.md': ['curl', 'python3'],
  'docs/from-dbos.md': ['python3'],
  'docs/deliveries.md': ['curl'],
  'docs/graphs.md': ['curl'],
  'docs/tutorials/webhook-to-slack.md': ['curl'],
  'docs/languages.md': ['go', 'perl', 'python3', 'ruby'],
};

for (const page of PAGES)
  t.test(`every example of ${page} does what it says`, needs(...(NEEDS[page] ?? [])), (t) => runPage(t, page));

/** A server with plugins, which a page makes before it starts: only what follows needs the server. */
const WITH_PLUGINS = /^SVC_PLUGINS=(\S+) svc dev$/m;

/** A server with a worker, which serves files of the page. */
const WITH_WORKER = /^svc dev --worker (\S+)$/m;

async function runPage(t: Test, page: string): Promise<void> {
  const folder = await homeFolder('svc-readme-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const all = blocks(await readFile(join(clone, page), 'utf8'));
  for (const { file, text } of all)
    if (file !== undefined && !file.includes('/')) await writeFile(join(folder, file), text);
  await symlink(svcProgram, join(folder, 'svc'));
  await chmod(folder, 0o700);
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8' };
  const start = Math.max(
    all.findIndex(({ text }) => WITH_PLUGINS.test(text)),
    0,
  );
  await runBlocks(t, all.slice(0, start), folder, env);
  const [, named] = WITH_PLUGINS.exec(all[start]?.text ?? '') ?? [];
  const plugins: Record<string, string> = named === undefined ? {} : { SVC_PLUGINS: named.replace('$PWD', folder) };
  // What people do first is shown as they do it. The other servers start on a schema that exists.
  if (page !== 'README.md') await startWithSchema(folder);
  const [, served] = all.map(({ text }) => WITH_WORKER.exec(text)).find((found) => found !== null) ?? [];
  if (served !== undefined) await installPackage(folder);
  const worker = served === undefined ? [] : ['--worker', served];
  const dev = new Service(svcProgram, ['dev', '--port', '0', ...worker], { cwd: folder, env: { ...env, ...plugins } });
  t.teardown(() => dev.kill('SIGTERM'));
  await dev.says(/is ready/);
  t.ok((await runBlocks(t, all.slice(start), folder, { ...env, ...plugins })) > 1, 'there are examples');
}

/** As `npm install` of the package does for an application. */
async function installPackage(folder: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'));
  await symlink(clone, join(folder, 'node_modules/svc'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
}

async function startWithSchema(folder: string): Promise<void> {
  await mkdir(join(folder, '.svc'), { mode: 0o700, recursive: true });
  await fillFromTemplate({ url: `sqlite:${join(folder, '.svc/svc.db')}` });
}

/** In the order of the page: commands, and files of folders that commands have made. Answers how many commands there were. */
async function runBlocks(t: Test, all: Block[], folder: string, env: Record<string, string>): Promise<number> {
  const steps = all.flatMap(({ language, file, text }): { command: string; prints: string }[] => {
    if (language === 'console') return session(text);
    return file?.includes('/')
      ? [
          {
            command: `mkdir -p ${dirname(file)} && cat > ${file} <<'SVC_END_OF_FILE'\n${text}SVC_END_OF_FILE`,
            prints: '',
          },
        ]
      : [];
  });
  const answers = await runAll(
    steps.map(({ command }) => command),
    folder,
    env,
  );
  for (const [index, { command, prints }] of steps.entries()) t.match(answers[index], pattern(prints), command);
  return steps.length;
}

t.test('what the page on plugins shows of a plugin is what `svc plugin init` writes', async (t) => {
  const starter = join(clone, 'test/plugins/starter');
  const names = (await readdir(starter, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(
    names.map(async (name) => renameStarter(await readFile(join(starter, name), 'utf8'), 'tally')),
  );
  const page = blocks(await readFile(join(clone, 'docs/plugins.md'), 'utf8'));
  const shown = page.filter(({ language, file }) => language === 'ts' && file === undefined);
  t.ok(shown.length > 4);
  for (const { text } of shown)
    t.ok(
      texts.some((whole) => whole.includes(text.trimEnd())),
      text,
    );
});

t.test('pages with examples are run, and their links lead somewhere', async (t) => {
  const namesIn = async (folder: string) =>
    (await readdir(join(clone, folder))).filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`);
  const pages = ['README.md', ...(await namesIn('docs')), ...(await namesIn('docs/tutorials'))];
  for (const page of pages) {
    const text = await readFile(join(clone, page), 'utf8');
    t.equal(
      blocks(text).some(({ language }) => language === 'console'),
      PAGES.includes(page),
      page,
    );
    const prose = text.replaceAll(/^```.*?^```$/gms, '');
    for (const [, link = ''] of prose.matchAll(/\]\(([^)#:]+)\)/g))
      t.ok(existsSync(join(clone, dirname(page), link)), `${page} links to ${link}`);
  }
  const lines = (await readFile(join(clone, 'README.md'), 'utf8')).split('\n').length;
  t.ok(lines < 221, `the README has ${lines} lines`);
});

t.test('the table of error codes is what the code declares', async (t) => {
  const path = join(clone, 'docs/errors.md');
  const readme = await readFile(path, 'utf8');
  const table = await errorTable();
  const written = readme.replace(
    /<!-- errors -->[\s\S]*<!-- \/errors -->/,
    () => `<!-- errors -->\n${table}<!-- /errors -->`,
  );
  if (process.env.SVC_WRITE_README) await writeFile(path, written);
  const module = join(clone, 'cli/generated/error-codes.ts');
  if (process.env.SVC_WRITE_README) await writeFile(module, await errorModule());
  t.equal(await readFile(module, 'utf8'), await errorModule(), 'what `svc errors` knows');
  t.equal(await readFile(path, 'utf8'), written, 'SVC_WRITE_README=1 node test/readme/readme.test.ts writes it');
});
