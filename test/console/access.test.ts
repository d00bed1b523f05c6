import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible } from './browser.ts';
import { omit } from '../kit/needs.ts';

const HOSTILE = '<img src=x onerror="document.title=`owned`">';
const HERE = '/orgs/dev/projects/main';
const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const dialog = (page: Page) => page.getByRole('dialog');
const field = (page: Page, name: string) => dialog(page).locator(`[name=${name}]`);
const row = (page: Page, name: RegExp | string) => page.getByRole('row', { name });

/** Presses the button that opens a dialog, and the one that does it. */
async function confirm(page: Page, opener: Locator, verb: string): Promise<void> {
  await opener.click();
  await dialog(page).getByRole('button', { name: verb }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** An item of the menu of a row; undefined when it opens nothing that is confirmed. */
async function act(page: Page, of: Locator, item: string, verb?: string): Promise<void> {
  await of.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
  if (verb === undefined) return;
  await dialog(page).getByRole('button', { name: verb }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** What the API answers the holder of a token. */
async function api(place: Console, token: string, path: string, init: { method?: string; body?: unknown } = {}) {
  const response = await fetch(`${place.url}/api/v1${path}`, {
    method: init.method ?? 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

async function submit(place: Console, script: string, ...flags: string[]): Promise<string> {
  const { exit, stdout, stderr } = await place.svc(['submit', '-', '--json', ...flags], script);
  if (exit !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { run_id: string }).run_id;
}

if (path === undefined) omit(t, 'access and secrets in a browser', 'chromium');
else
  t.test('what a project keeps and who may do what, in a browser', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const page = await place.signedIn();
    const go = (to: string) => page.goto(`${place.url}${HERE}${to}`);

    await t.test('credentials are stored, replaced and removed, and never shown', async (t) => {
      await page.getByRole('link', { name: 'Connections' }).click();
      await page.getByRole('link', { name: 'Credentials' }).click();
      await page.getByText('No credentials yet').waitFor();
      const add = async (name: string, kind: string, fields: Record<string, string>) => {
        await page.getByRole('button', { name: 'New credential' }).first().click();
        await field(page, 'name').fill(name);
        await field(page, 'kind').selectOption(kind);
        for (const [key, value] of Object.entries(fields)) await field(page, key).fill(value);
        await dialog(page).getByRole('button', { name: 'Store credential' }).click();
      };
      await add('bot', 'bearer', { token: 'abc' });
      await dialog(page).getByText('must have at least 4 characters').first().waitFor();
      await field(page, 'token').fill('first-value');
      await dialog(page).getByRole('button', { name: 'Store credential' }).click();
      await row(page, /^bot .*Bearer token/).waitFor();
      await add('llm', 'api_key', { header: 'x-api-key', value: 'second-value' });
      await row(page, /^llm .*Key in a header/).waitFor();
      await add('hub', 'basic', { username: 'ci', password: 'third-value' });
      await row(page, /^hub .*User and password/).waitFor();
      await add('chat', 'url_token', { token: 'fourth-value' });
      await row(page, /^chat .*Token in an address/).waitFor();
      const listed = await place.svc(['credential', 'list', '--json']);
      t.match(listed.stdout, /"bearer"/);
      t.match(listed.stdout, /"url-token"/);

      const run_id = await submit(place, 'svc wait-signal go\n', '--credential', 'GH_TOKEN=bot');
      await row(page, /^bot/)
        .getByRole('link', { name: run_id.slice(-6) })
        .waitFor();
      await row(page, /^chat/).getByText('Not used yet').waitFor();

      await act(page, row(page, /^chat/), 'Replace value');
      await field(page, 'kind').selectOption('bearer');
      await field(page, 'token').fill('fifth-value');
      await dialog(page).getByRole('button', { name: 'Replace value' }).click();
      await row(page, /^chat .*Bearer token/).waitFor();
      t.notMatch(await page.content(), /(first|second|third|fourth|fifth)-value/);
      await act(page, row(page, /^chat/), 'Remove credential', 'Remove credential');
      await row(page, /^chat/).waitFor({ state: 'detached' });
    });

    await t.test('a variable is set, edited and removed, and one of the org is overridden', async (t) => {
      await place.svc(['var', 'set', 'REGISTRY', 'registry.example.com', '--org']);
      await page.getByRole('link', { name: 'Variables' }).click();
      await page.getByRole('button', { name: 'New variable' }).first().click();
      await field(page, 'name').fill('REGION');
      await field(page, 'value').fill('eu-west-1');
      await dialog(page).getByRole('button', { name: 'Set variable' }).click();
      await row(page, /^REGION eu-west-1/).waitFor();
      await act(page, row(page, /^REGION/), 'Edit value');
      t.equal(await field(page, 'value').inputValue(), 'eu-west-1');
      await field(page, 'value').fill('eu-north-1');
      await dialog(page).getByRole('button', { name: 'Set variable' }).click();
      await row(page, /^REGION eu-north-1/).waitFor();
      await act(page, row(page, /^REGISTRY org registry.example.com/), 'Override in this project');
      await field(page, 'value').fill('localhost:5000');
      await dialog(page).getByRole('button', { name: 'Set variable' }).click();
      await row(page, /^REGISTRY localhost:5000/).waitFor();
      t.equal((await place.svc(['var', 'get', 'REGISTRY'])).stdout.trim(), 'localhost:5000');
      await act(page, row(page, /^REGISTRY/), 'Remove variable', 'Remove variable');
      await row(page, /^REGISTRY org registry.example.com/).waitFor();
    });

    await t.test('a secret is set, read by its own button, and the audit knows', async (t) => {
      await page.getByRole('link', { name: 'Secrets' }).click();
      await page.getByRole('button', { name: 'New secret' }).first().click();
      await field(page, 'name').fill('NPM_TOKEN');
      await field(page, 'value').fill(`${HOSTILE}\u202e`);
      await dialog(page).getByRole('button', { name: 'Store secret' }).click();
      await row(page, /^NPM_TOKEN/).waitFor();
      t.notMatch(await page.content(), /onerror/);
      await act(page, row(page, /^NPM_TOKEN/), 'Show value', 'Show value');
      const value = page.getByRole('region', { name: 'Value of NPM_TOKEN' });
      t.equal(await value.locator('pre').textContent(), `${HOSTILE}\\u202e`);
      await value.getByRole('button', { name: 'Hide value' }).click();
      t.notMatch(await page.content(), /onerror/);
      await act(page, row(page, /^NPM_TOKEN/), 'Replace value');
      await field(page, 'value').fill('another-value');
      await dialog(page).getByRole('button', { name: 'Replace value' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      t.equal((await place.svc(['secret', 'get', 'NPM_TOKEN'])).stdout.trim(), 'another-value');

      await page.getByRole('link', { name: 'Audit' }).click();
      await row(page, /credential\.delete chat/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Action' }).click();
      await page.getByRole('textbox', { name: 'Action' }).fill('secret.read');
      await page.keyboard.press('Enter');
      await page.waitForURL(/audit\?action=secret\.read/);
      // The address changes before the list does.
      await row(page, /credential\.delete chat/)
        .first()
        .waitFor({ state: 'detached' });
      await row(page, /dev secret\.read NPM_TOKEN/)
        .nth(1)
        .waitFor();
      t.equal(await page.getByRole('row').count(), 3, 'the head, the page and the command');
      await page.getByLabel('Scope').selectOption('org');
      await page.getByText('No entry matches these filters').waitFor();
      await page.getByText('CLI', { exact: true }).click();
      await page.getByText('svc audit ls --org --action secret.read').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await row(page, /credential\..* bot/).waitFor();
      await go('/audit?since=nonsense');
      await page.getByRole('alert').waitFor();

      await go('/connections/secrets');
      await act(page, row(page, /^NPM_TOKEN/), 'Remove secret', 'Remove secret');
      await page.getByText('No secrets yet').waitFor();
    });

    await t.test('locks show who holds them and who waits, agents what they can do', async (t) => {
      await page.getByRole('link', { name: 'Locks' }).click();
      await page.getByText('No locks are held').waitFor();
      const script = `svc lock '${HOSTILE}'\nsvc wait-signal go\n`;
      const holder = await submit(place, script);
      const lock = row(page, new RegExp(holder.slice(-6)));
      await lock.getByText('No one').waitFor();
      const waiter = await submit(place, script);
      await lock.getByRole('listitem').getByText(waiter.slice(-6)).waitFor();
      t.equal(await lock.getByText(HOSTILE).count(), 1);
      await lock.getByRole('link', { name: holder.slice(-6) }).click();
      await page.getByRole('heading', { name: / waits for go$/ }).waitFor();

      await page.getByRole('link', { name: 'Agents' }).click();
      const agent = row(page, /Built into svc dev/);
      await agent.getByText('Online').waitFor();
      await page.getByText(/^1 online · \d+ slots$/).waitFor();
    });

    await t.test('connectors are found by words, and show what they send', async (t) => {
      await page.getByRole('link', { name: 'Connectors' }).click();
      const tiles = page.locator('.conn-tile');
      // The whole list is there first: a page that still loads has no second tile either.
      await tiles.nth(1).waitFor();
      await page.getByRole('searchbox').fill('claude');
      await page.waitForURL(/words=claude/);
      // The address changes before the list does.
      await tiles.nth(1).waitFor({ state: 'detached' });
      await tiles.getByRole('link', { name: 'Anthropic', exact: true }).waitFor();
      await page.getByRole('searchbox').fill('');
      await page.getByRole('button', { name: 'Chat', exact: true }).click();
      await page.waitForURL(/category=Chat/);
      await page.getByRole('link', { name: 'GitHub', exact: true }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Use in a graph with Slack' }).click();
      await page.getByRole('heading', { level: 1, name: 'New graph' }).waitFor();
      await page
        .getByRole('button', { name: /post_message/ })
        .first()
        .waitFor();
      await go('/connectors?words=team+chat+message');
      await page.getByRole('button', { name: 'Add token for Slack' }).click();
      t.equal(await dialog(page).getByLabel('Name').inputValue(), 'team-chat');
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'Slack', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Slack' }).waitFor();
      await page.getByText('Example: a message with markup').click();
      await page.getByText('"url": "https://slack.com/api/chat.postMessage"').first().waitFor();
      await page.getByText('Try it without sending post_message').click();
      const inputs = page.getByRole('textbox', { name: 'Inputs for post_message' });
      const show = page.getByRole('button', { name: 'Show the request' });
      await inputs.fill('{"text": 7}');
      await show.click();
      await page.getByRole('alert').getByText('/input/text', { exact: true }).waitFor();
      await inputs.fill('{"text": "it works"}');
      await show.click();
      const request = page.getByRole('region', { name: 'Request for post_message' });
      t.match(await request.innerText(), /chat\.postMessage[\s\S]*Bearer \*\*\*[\s\S]*"text": "it works"/);
      t.equal(await page.getByRole('alert').count(), 0);
      const [command = ''] = (await page.getByText('svc connector render').allTextContents()) as string[];
      const flags = /--with '(.+)' --input '(.+)'/.exec(command);
      t.ok(flags, command);
      const rendered = await place.svc([
        ...['connector', 'render', 'team_chat.post_message', '--json'],
        ...['--with', flags?.[1] ?? '', '--input', flags?.[2] ?? ''],
      ]);
      t.match(rendered.stdout, /chat\.postMessage.*it works/s, 'the command does what the page says of it');
      await go('/connectors/nothing');
      await page.getByRole('alert').getByText('nothing').waitFor();
    });

    let viewer = '';
    await t.test('members get roles and lose them', async (t) => {
      await page.getByRole('link', { name: 'Members', exact: true }).click();
      const table = (name: string) => page.getByRole('table', { name });
      const add = async (to: 'project' | 'org', user: string, role: string) => {
        await page.getByRole('button', { name: 'Add member' }).click();
        await field(page, 'to').selectOption(to);
        await field(page, 'user').fill(user);
        await field(page, 'role').selectOption(role);
        await dialog(page).getByRole('button', { name: 'Add member' }).click();
      };
      await add('org', '../x', 'member');
      await dialog(page).getByRole('alert').waitFor();
      await field(page, 'user').fill('vera');
      await dialog(page).getByRole('button', { name: 'Add member' }).click();
      await table('Org dev')
        .getByRole('row', { name: /^vera Member/ })
        .waitFor();
      await dialog(page).waitFor({ state: 'detached' });
      await add('project', 'vera', 'member');
      const ofProject = table('Project main').getByRole('row', { name: /^vera/ });
      await ofProject.getByText('Member', { exact: true }).waitFor();
      await act(page, ofProject, 'Change role');
      await field(page, 'role').selectOption('viewer');
      await dialog(page).getByRole('button', { name: 'Change role' }).click();
      await ofProject.getByText('Viewer').waitFor();
      const made = await api(place, place.token, '/tokens', {
        method: 'POST',
        body: { name: 'of-vera', org: 'dev', user: 'vera' },
      });
      t.equal(made.status, 201);
      viewer = made.json.token;
      await dialog(page).waitFor({ state: 'detached' });
      await add('org', 'gone', 'member');
      const gone = table('Org dev').getByRole('row', { name: /^gone/ });
      await act(page, gone, 'Remove member', 'Remove member');
      await gone.waitFor({ state: 'detached' });
      await act(page, table('Org dev').getByRole('row', { name: /^dev You Owner/ }), 'Remove member');
      await dialog(page).getByRole('button', { name: 'Remove member' }).click();
      await dialog(page).getByRole('alert').waitFor();
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    });

    await t.test('who has an account elsewhere is invited, and answers', async (t) => {
      const put = (path: string, body?: object) => api(place, place.token, path, { method: 'PUT', body });
      const made = async (user: string) => {
        t.equal((await put(`/orgs/far/members/${user}`, { role: 'member' })).status, 201);
        const body = { name: `of-${user}`, org: 'far', user };
        return (await api(place, place.token, '/tokens', { method: 'POST', body })).json.token as string;
      };
      await put('/orgs/far', {});
      const fay = await made('fay');
      await put('/orgs/far/projects/shore', {});
      const finn = await made('finn');
      await put('/orgs/far/projects/shore/members/finn', { role: 'viewer' });
      await page.reload();
      const project = page.getByRole('table', { name: 'Project main' });
      const invite = async (user: string) => {
        await page.getByRole('button', { name: 'Add member' }).click();
        await field(page, 'user').fill(user);
        await field(page, 'role').selectOption('viewer');
        await dialog(page).getByRole('button', { name: 'Add member' }).click();
        await dialog(page).waitFor({ state: 'detached' });
        const asked = project.getByRole('row', { name: new RegExp(`^${user} Viewer Invited by dev, expires in`) });
        await asked.waitFor();
        return asked;
      };
      for (const user of ['fay', 'finn']) await invite(user);
      await page.getByText('svc invitation sent --project main').waitFor({ state: 'attached' });

      // She reaches no project, and answers where that is said.
      const hers = await place.signedIn(fay, undefined, 'No project yet');
      await hers
        .getByRole('listitem')
        .filter({ hasText: /dev\/main.*Viewer · invited by dev/ })
        .waitFor();
      t.same(await inaccessible(hers), []);
      await confirm(hers, hers.getByRole('button', { name: 'Accept' }), 'Accept invitation');
      await hers.getByText('You are viewer of dev/main. You signed in with a token that is limited').waitFor();
      await hers.getByText('No invitations').waitFor();
      t.equal((await api(place, place.token, `${HERE}/members/fay`)).status, 200);

      const his = await place.signedIn(finn);
      await his.getByRole('link', { name: 'An invitation is waiting for your answer' }).click();
      await his.getByRole('heading', { name: 'Your invitations' }).waitFor();
      await confirm(
        his,
        his.getByRole('listitem').filter({ hasText: 'dev/main' }).getByRole('button', { name: 'Decline' }),
        'Decline invitation',
      );
      await his.getByText('No invitations').waitFor();
      t.equal((await api(place, place.token, `${HERE}/members/finn`)).status, 404);

      await page.reload();
      await project.getByRole('row', { name: /^fay Viewer Active/ }).waitFor();
      const asked = await invite('finn');
      await act(page, asked, 'Withdraw invitation', 'Withdraw invitation');
      await asked.waitFor({ state: 'detached' });
      t.same((await api(place, finn, '/invitations')).json.invitations, []);
    });

    await t.test('a token is shown once, works, and is revoked', async (t) => {
      await page.getByRole('link', { name: 'Tokens', exact: true }).click();
      await page.getByRole('button', { name: 'New token' }).click();
      await field(page, 'name').fill('ci');
      await field(page, 'role').selectOption('viewer');
      await field(page, 'expires_in').selectOption('30d');
      await dialog(page).getByRole('button', { name: 'Create token' }).click();
      const token = (await page.locator('.panel code').textContent()) ?? '';
      const who = await api(place, token, '/whoami');
      t.same(who.json.orgs[0].projects, [{ project: 'main', role: 'viewer' }]);
      await page.getByRole('button', { name: 'I have saved it' }).click();
      t.notOk((await page.content()).includes(token));
      const own = row(page, /^ci/);
      t.match(await own.textContent(), /dev\/main, Viewer at most/);
      await act(page, own, 'Revoke token', 'Revoke token');
      await own.waitFor({ state: 'detached' });
      t.equal((await api(place, token, '/whoami')).status, 401);

      await page.getByRole('button', { name: 'New token' }).click();
      await field(page, 'name').fill('box');
      await field(page, 'kind').selectOption('agent');
      await dialog(page).getByRole('button', { name: 'Create token' }).click();
      await row(page, /^box Agent Org dev/).waitFor();
    });

    await t.test('a viewer is offered nothing that is refused', async (t) => {
      const theirs = await place.signedIn(viewer);
      const areas = theirs.getByRole('navigation', { name: 'Pages of the project' });
      t.same(await areas.getByRole('link').locator('> span:first-of-type').allTextContents(), [
        ...['Overview', 'Runs', 'Events', 'Insights', 'Graphs', 'Pipelines', 'Functions', 'Handlers', 'Schedules'],
        ...['Polling', 'Webhooks', 'Hooks', 'Connectors', 'Agents', 'Locks', 'Caches', 'Members', 'Settings'],
        'Plugins',
      ]);
      await areas.getByRole('link', { name: 'Members', exact: true }).click();
      await theirs.getByRole('row', { name: /^vera (You )?Viewer/ }).waitFor();
      for (const name of ['Add member', 'Actions for vera'])
        t.equal(await theirs.getByRole('button', { name }).count(), 0, name);
      for (const to of ['connections', 'connections/credentials', 'connections/secrets', 'audit']) {
        await theirs.goto(`${place.url}${HERE}/${to}`);
        await theirs.getByRole('alert').first().waitFor();
        t.equal(await theirs.getByRole('button', { name: /^New/ }).count(), 0, to);
      }
      await theirs.goto(`${place.url}${HERE}/connections/variables`);
      await row(theirs, /^REGION eu-north-1/).waitFor();
      t.equal(await theirs.getByRole('button', { name: /^New|^Actions/ }).count(), 0, 'a viewer only reads');
      const refused = await api(place, viewer, `${HERE}/secrets/X`, { method: 'PUT', body: { value: 'a value' } });
      t.equal(refused.status, 403);
    });

    await t.test('every page is accessible in both themes and on a narrow screen', async (t) => {
      await submit(place, `svc lock deploy\nsvc wait-signal go\n`);
      await place.svc(['secret', 'set', 'KEY', '-'], 'some value');
      const pages: [string, RegExp][] = [
        ['/connections/credentials', /Bearer token/],
        ['/connections/secrets', /KEY/],
        ['/connections/variables', /REGION/],
        ['/connectors', /Slack/],
        ['/connectors/team_chat', /Post a message/],
        ['/locks', /deploy/],
        ['/agents', /Built into svc dev/],
        ['/members', /vera/],
        ['/members/invitations', /No invitations/],
        ['/members/tokens', /of-vera/],
        ['/members/sessions', /Current/],
        ['/audit', /secret\.set/],
      ];
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await place.newBrowser({ colorScheme, viewport: { width: 390, height: 800 } });
        const narrow = await place.signedIn(place.token, context);
        for (const [to, shows] of pages) {
          await narrow.goto(`${place.url}${HERE}${to}`);
          await narrow.getByText(shows).first().waitFor();
          t.same(await inaccessible(narrow), [], `${colorScheme} ${to}`);
          const overflow = await narrow.evaluate('document.documentElement.scrollWidth - innerWidth');
          t.ok(Number(overflow) <= 0, `${to} is not wider than the screen`);
        }
      }
    });

    await t.test('sessions are listed, one of them is ended, and then all', async (t) => {
      const other = await place.signedIn(place.token, await place.newBrowser());
      await go('/members/sessions');
      await row(page, /Current/).waitFor();
      t.equal(
        await row(page, /Current/)
          .getByRole('button')
          .count(),
        0,
        'the own one ends by signing out',
      );
      const lost = page.getByRole('button', { name: /^Actions for / });
      const count = await lost.count();
      await lost.first().click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
      await lost.nth(count - 1).waitFor({ state: 'detached' });
      await other.reload();
      await other.getByLabel('Access token').waitFor();
      await other.context().close();
      await confirm(page, page.getByRole('button', { name: 'Sign out everywhere' }), 'Sign out everywhere');
      await page.getByLabel('Access token').waitFor();
      await page.goto(`${place.url}${HERE}/members/sessions`);
      await page.getByLabel('Access token').waitFor();
    });

    t.not(await page.title(), 'owned', 'what runs and forms wrote is text');
    t.same(place.faults, [], 'no error, and nothing that the content security policy refused');
  });
