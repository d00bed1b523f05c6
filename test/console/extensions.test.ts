import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { runToEnd, until } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible, PAGE_WAIT_MS } from './browser.ts';
import { omit } from '../kit/needs.ts';
import { Guests, guest } from './guests.ts';

const HERE = '/orgs/dev/projects/main';
const HOSTILE = '<img src=x onerror="document.title=`owned`">';
const path = chromiumPath();

t.setTimeout(600_000);

const REGISTER = `
  plugin.contribute(ConsolePages, () => [
    { name: 'everything', title: 'Everything', module: module('everything.js') },
    { name: 'for-admins', title: 'For admins', role: 'admin', area: 'locks', module: module('everything.js') },
  ]);
  plugin.contribute(ConsolePanels, () => [
    { name: 'falls', title: 'Falls', place: 'overview', module: module('falls.js') },
    { name: 'falls-later', title: 'Falls later', place: 'overview', module: module('falls-later.js') },
    { name: 'no-mount', title: 'No mount', place: 'overview', module: module('no-mount.js') },
  ]);
`;

/** Shows on the page what its context can do, and on the window what became of it. */
const EVERYTHING = `
import { text } from './text.js';
const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: new URL('./own.css', import.meta.url).href });
export function mount(element, context) {
  window.unmounted = false;
  const add = (name, content) => element.append(Object.assign(document.createElement(name), { textContent: content }));
  add('p', text(context.org, context.project));
  add('p', 'theme ' + context.theme());
  add('p', 'admin ' + context.may('admin'));
  add('p', context.visible('a\\u202eb'));
  const status = document.createElement('output');
  element.append(style, status);
  context.onTheme((theme) => { status.textContent = 'theme became ' + theme; });
  const button = (name, click) => {
    const made = Object.assign(document.createElement('button'), { textContent: name });
    made.addEventListener('click', click);
    element.append(made);
  };
  button('Write', async () => {
    const body = { type: 'guest.wrote', payload: {} };
    const answer = await context.api(context.scoped('/events'), { method: 'POST', body });
    status.textContent = 'wrote ' + answer.status;
  });
  button('Ask for nothing', () => context.api(context.scoped('/runs/run_none')).catch(context.fail));
  button('Go', () => context.navigate('/locks'));
  context.live('runs', (kind) => { window.told = kind; });
  return () => { window.unmounted = true; };
}
`;

const MODULES = {
  'everything.js': EVERYTHING,
  'text.js': "export const text = (org, project) => 'in ' + org + '/' + project;",
  'own.css': 'output { border-top: 7px solid rgb(1, 2, 3); display: block; }',
  'falls.js': `export function mount() { throw new Error('fell at once ' + ${JSON.stringify(HOSTILE)}); }`,
  'falls-later.js': `export function mount(element) {
    const button = Object.assign(document.createElement('button'), { textContent: 'Fall' });
    button.addEventListener('click', () => setTimeout(() => { throw new Error('fell later'); }));
    element.append(button);
    return () => { throw new Error('fell when it was left'); };
  }`,
  'no-mount.js': 'export const nothing = 1;',
};

/** The security policy of the page lets nobody look from within. */
const becomes = (page: Page, expression: string) =>
  until(expression, PAGE_WAIT_MS, async () => ((await page.evaluate(expression)) === true ? true : undefined));

const panel = (page: Page, title: string) =>
  page.locator('.panel').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

async function folderFor(t: Test): Promise<Guests> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-guests-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return Guests.in(folder);
}

async function submit(place: Console, script: string): Promise<string> {
  const { exit, stdout, stderr } = await place.svc(['submit', '-', '--json'], script);
  if (exit !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { run_id: string }).run_id;
}

/** A token of a viewer of dev/main. */
async function viewerOf(place: Console): Promise<string> {
  const ask = async (method: string, to: string, body: unknown) => {
    const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' };
    return (await fetch(`${place.url}/api/v1${to}`, { method, headers, body: JSON.stringify(body) })).json();
  };
  await ask('PUT', `${HERE}/members/vera`, { role: 'viewer' });
  return ((await ask('POST', '/tokens', { name: 'of-vera', org: 'dev', user: 'vera' })) as { token: string }).token;
}

t.test('what is wrong with a page of a plugin stops the start, and names it', async (t) => {
  const page = (more: string) => `plugin.contribute(ConsolePages, () => [{ name: 'one', title: 'One', ${more} }]);`;
  const faults: [string, string, RegExp][] = [
    ['area', page("area: 'cellar', module: module('a.js')"), /wrong-area .*area "cellar".*overview, runs/],
    ['role', page("role: 'king', module: module('a.js')"), /wrong-role .*role "king"/],
    ['file', page("module: module('b.js')"), /wrong-file .*b\.js", which does not exist/],
    ['name', page("module: module('a.js'), name: 'No Name'"), /wrong-name .*name "No Name" is not valid/],
    [
      'twice',
      `${page("module: module('a.js')")}${page("module: module('a.js')")}`,
      /"one".*which wrong-twice has already/,
    ],
    [
      'place',
      "plugin.contribute(ConsolePanels, () => [{ name: 'one', title: 'One', place: 'roof', module: module('a.js') }]);",
      /wrong-place .*place "roof".*overview, run/,
    ],
  ];
  for (const [what, register, says] of faults) {
    const guests = await folderFor(t);
    await guests.add(what, guest(`wrong-${what}`, register, { 'a.js': 'export function mount() {}' }));
    const env = { PATH: process.env.PATH ?? '', SVC_PLUGINS: guests.setting };
    const home = join(guests.setting, 'home');
    const { exit, stderr } = await runToEnd(svcProgram, ['dev', '--port', '0', '--home', home], {
      env,
      cwd: guests.setting,
    });
    t.not(exit, 0, what);
    t.match(stderr.replaceAll('\n', ' '), says, what);
  }
});

if (path === undefined) omit(t, 'pages of plugins in a browser', 'chromium');
else
  t.test('pages and panels of plugins, in a browser', { timeout: 1_200_000 }, async (t) => {
    const guests = await folderFor(t);
    await guests.addExample();
    await guests.add('showy', guest('showy', REGISTER, MODULES));
    const place = await Console.open(t, path, { env: { SVC_PLUGINS: guests.setting } });
    const page = await place.signedIn();
    const menu = page.getByRole('navigation', { name: 'Pages of the project' });

    await t.test('the example of the README does what it says', async (t) => {
      await menu.getByRole('link', { name: 'Open runs' }).waitFor();
      const names = await menu.getByRole('link').allTextContents();
      t.equal(names[names.indexOf('Runs') + 1], 'Open runs', 'below the page that it names');
      const run_id = await submit(place, 'svc wait-signal go\n');
      await menu.getByRole('link', { name: 'Open runs' }).click();
      await page.getByRole('heading', { level: 1, name: 'Open runs' }).waitFor();
      const links = page.getByRole('main').getByRole('listitem').getByRole('link');
      await links.first().waitFor();
      await submit(place, 'svc wait-signal go\n');
      await links.nth(1).waitFor();
      await page.evaluate('window.sameDocument = true');
      await page.locator(`a[href$="${run_id}"]`).click();
      await panel(page, 'Who asked').getByText('Started by').waitFor();
      t.equal(await page.evaluate('window.sameDocument'), true, 'a link does not load the console anew');
    });

    await t.test('a module can do what its context says', async (t) => {
      await menu.getByRole('link', { name: 'Everything' }).click();
      await page.getByText('in dev/main').waitFor();
      await page.getByText('theme light').waitFor();
      await page.getByText('admin true').waitFor();
      await page.getByText('a\\u202eb').waitFor();
      const output = page.getByRole('main').getByRole('status');
      await becomes(page, "getComputedStyle(document.querySelector('output')).borderTopWidth === '7px'");
      await page.getByRole('button', { name: 'Write' }).click();
      await output.getByText('wrote 201').waitFor();
      await page.getByRole('button', { name: 'dev' }).click();
      await page.getByRole('menuitemradio', { name: 'Dark' }).click();
      await output.getByText('theme became dark').waitFor();
      await page.keyboard.press('Escape');
      await page.evaluate('window.told = undefined');
      await submit(place, 'true\n');
      await becomes(page, "window.told === 'run'");
      await page.getByRole('button', { name: 'Ask for nothing' }).click();
      await page.getByRole('alert').getByText('run_none').first().waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Go' }).click();
      await page.getByRole('heading', { level: 1, name: 'Locks' }).waitFor();
      t.equal(await page.evaluate('window.unmounted'), true, 'it was told that the person has left');
    });

    await t.test('what fails in a module is shown in its place, and nowhere else', async (t) => {
      await menu.getByRole('link', { name: 'Overview' }).click();
      await panel(page, 'Falls').getByRole('alert').getByText('fell at once').waitFor();
      await panel(page, 'No mount').getByRole('alert').getByText('not export a mount function').waitFor();
      await panel(page, 'Falls later').getByRole('button', { name: 'Fall' }).click();
      await panel(page, 'Falls later').getByRole('alert').getByText('fell later').waitFor();
      await panel(page, 'Failures by error').waitFor();
      await panel(page, 'Capacity')
        .getByText(/slots? in use/)
        .waitFor();
      await panel(page, 'Falls later').getByRole('button', { name: 'Try again' }).click();
      await panel(page, 'Falls later').getByRole('button', { name: 'Fall' }).waitFor();
      await menu.getByRole('link', { name: 'Agents' }).click();
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
      t.not(await page.title(), 'owned');
    });

    await t.test('the server knows the same', async (t) => {
      const { stdout } = await place.svc(['plugins', '--json']);
      const { plugins } = JSON.parse(stdout) as { plugins: { id: string; contributes: string[] }[] };
      t.match(plugins.find(({ id }) => id === 'showy')?.contributes, ['console.ConsolePages', 'console.ConsolePanels']);
      for (const [file, status] of [
        ['showy/everything.js', 200],
        ['showy/plugin.mjs', 404],
        ['showy/..%2fplugin.mjs', 400],
        ['nobody/everything.js', 404],
      ] as const)
        t.equal((await fetch(`${place.url}/console/plugins/${file}`)).status, status, file);
    });

    await t.test('the capacity of the agents is shown, and changes', async (t) => {
      await menu.getByRole('link', { name: 'Overview' }).click();
      const capacity = panel(page, 'Capacity');
      await capacity.getByText(/^0 of \d+ slots? in use/).waitFor();
      const run_id = await submit(place, 'read -r _ < <(sleep 60)\n');
      await capacity.getByText(/^1 of \d+ slots? in use/).waitFor();
      await place.svc(['cancel', run_id]);
      await capacity.getByText(/^0 of \d+ slots? in use/).waitFor();
      t.equal(await capacity.getByRole('link', { name: '1 agent' }).getAttribute('href'), `${HERE}/agents`);
    });

    await t.test('a viewer is not offered what needs a higher role', async (t) => {
      const theirs = await place.signedIn(await viewerOf(place));
      const names = theirs.getByRole('navigation', { name: 'Pages of the project' }).getByRole('link');
      await theirs.getByRole('link', { name: 'Everything' }).waitFor();
      const seen = await names.allTextContents();
      t.notOk(seen.includes('For admins') || seen.includes('Open runs'), seen.join());
      t.ok((await menu.getByRole('link').allTextContents()).includes('For admins'));
      await theirs.goto(`${place.url}${HERE}/plugins/showy/for-admins`);
      await theirs.getByText('The page may require a higher role').waitFor();
      await theirs.goto(`${place.url}${HERE}/plugins/showy/everything`);
      await theirs.getByText('admin false').waitFor();
    });

    await t.test('they are found by the palette, and are accessible', async (t) => {
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Search or run' }).fill('every');
      await page.keyboard.press('Enter');
      await page.getByText('in dev/main').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        const narrow = await place.newBrowser({ colorScheme, viewport: { width: 390, height: 800 } });
        const small = await place.signedIn(place.token, narrow);
        await panel(small, 'Capacity').getByText('in use').waitFor();
        await panel(small, 'Falls').getByRole('alert').waitFor();
        t.same(await inaccessible(small), [], `overview, ${colorScheme}`);
        await small.goto(`${place.url}${HERE}/plugins/hand-over/open-runs`);
        await small.getByRole('main').getByRole('listitem').first().waitFor();
        t.same(await inaccessible(small), [], `open runs, ${colorScheme}`);
      }
    });

    t.same(place.faults, [], 'no error that nobody showed, and nothing that the content security policy refused');
  });
