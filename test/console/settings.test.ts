import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible } from './browser.ts';
import { omit } from '../kit/needs.ts';
import { Guests, guest } from './guests.ts';

const HERE = '/orgs/dev/projects/main';
const HOSTILE = '<img src=x onerror="document.title=`owned`">';
const path = chromiumPath();

t.setTimeout(600_000);

/** Its health check fails, and its name and summary are not to be trusted. */
const SICK = guest('sick', '', {});
const CHECK =
  "plugin.contribute(HealthChecks, () => ({ name: 'sick', check: async () => { throw new Error('no'); } }));";

const sick = () => ({
  'plugin.json': SICK['plugin.json']
    .replace('"contributes":[]', '"contributes":["kernel.HealthChecks"]')
    .replace('A guest.', HOSTILE.replaceAll('"', '\\"')),
  'plugin.mjs': `import { definePlugin, HealthChecks } from 'svc/plugin';
import manifest from './plugin.json' with { type: 'json' };
export default definePlugin(manifest, (plugin) => { ${CHECK} });
`,
});

if (path === undefined) omit(t, 'plugins and settings in a browser', 'chromium');
else
  t.test('plugins and settings, in a browser', { timeout: 1_200_000 }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-guests-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const guests = await Guests.in(folder);
    await guests.add('sick', sick());
    const env = { SVC_PLUGINS: guests.setting, SVC_RETENTION: 'runs=90d', SVC_OF_NOBODY: 'never-to-be-seen' };
    const place = await Console.open(t, path, { env });
    const page = await place.signedIn();
    const menu = page.getByRole('navigation', { name: 'Pages of the project' });
    const row = (name: RegExp) => page.getByRole('row', { name });

    await t.test('what the server has loaded, and its health', async (t) => {
      t.equal((await menu.getByRole('link').allTextContents()).findLast(Boolean), 'Plugins');
      await menu.getByRole('link', { name: 'Plugins' }).click();
      await row(/^sick 1\.0\.0 SVC_PLUGINS/)
        .getByText('Failing')
        .waitFor();
      t.match(await row(/^sick/).textContent(), HOSTILE);
      await row(/^agents 0\.1\.0/)
        .getByText('Ok')
        .waitFor();
      const details = page.getByRole('dialog');
      const open = async (name: string, part: string, entry: string) => {
        await page.getByRole('button', { name, exact: true }).click();
        await details.getByText(part).click();
        await details.getByText(entry, { exact: true }).waitFor();
        t.same(await inaccessible(page), [], name);
        await details.getByRole('button', { name: 'Close' }).click();
      };
      await open('summary', '1 panel', 'capacity');
      await open('agents', '2 routes', 'GET /api/v1/agents');
      t.equal(await row(/^connector:/).count(), 0);
      await page.getByRole('link', { name: /^\d+ connectors$/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Connectors' }).waitFor();
      const { stdout } = await place.svc(['plugin', 'ls']);
      t.match(stdout, /^sick\s+1\.0\.0\s+SVC_PLUGINS\s+1\s+failing: sick$/m);
    });

    await t.test('what is set, and no value that may be secret', async (t) => {
      await menu.getByRole('link', { name: 'Settings' }).click();
      await row(/^SVC_RETENTION runs=90d/).waitFor();
      await row(/^SVC_OF_NOBODY Set, not shown/).waitFor();
      await page.getByText('SQLite: one server').waitFor();
      t.notMatch(await page.content(), /never-to-be-seen/);
      t.match((await place.svc(['server', 'show'])).stdout, /^store\s+sqlite$/m);
      const settings = await place.svc(['server', 'settings']);
      t.match(settings.stdout, /^SVC_OF_NOBODY\s+\(set\)$/m);
      t.notMatch(settings.stdout, /never-to-be-seen/);
    });

    await t.test('how the project is kept as files, and how an AI agent connects', async (t) => {
      const code = page.getByRole('region', { name: 'Project as code' });
      const command = `svc export -o ${join(folder, 'exported')} --org dev --project main`;
      await code.getByText(command.replace(join(folder, 'exported'), 'project'), { exact: true }).waitFor();
      t.equal((await place.svc(command.split(' ').slice(1))).exit, 0, 'the command is right');
      const agents = page.getByRole('region', { name: 'AI agents' });
      const address = await agents.locator('code', { hasText: /\/mcp$/ }).textContent();
      const line = await agents.locator('code', { hasText: /^svc token create/ }).textContent();
      const { stdout } = await place.svc([...(line ?? '').split(' ').slice(1), '--json']);
      const { token } = JSON.parse(stdout) as { token: string };
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const answer = await fetch(address ?? '', { method: 'POST', headers, body });
      t.equal(answer.status, 200, 'an agent connects with this address and token');
      t.match(await answer.text(), /list_runs/);
    });

    await t.test('an owner makes a project, and it is there', async (t) => {
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'New project' }).click();
      await dialog.locator('[name=name]').fill('no name');
      await dialog.getByRole('button', { name: 'Create project' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.locator('[name=name]').fill('second');
      await dialog.getByRole('button', { name: 'Create project' }).click();
      await row(/^second Admin/)
        .getByRole('link', { name: 'second' })
        .click();
      await page.waitForURL(/projects\/second$/);
      await page
        .getByLabel('Project', { exact: true })
        .locator('option:checked', { hasText: 'dev/second' })
        .waitFor({ state: 'attached' });
      t.equal(await page.getByLabel('Project', { exact: true }).inputValue(), 'dev/second');
      await page.goto(`${place.url}${HERE}/settings`);
    });

    await t.test('the colours are chosen here too', async (t) => {
      const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
      await page.getByRole('radio', { name: 'Dark' }).check();
      t.equal(await scheme(), 'dark');
      await page.getByRole('radio', { name: 'System' }).check();
      t.equal(await scheme(), 'light dark');
    });

    await t.test('a member of the org sees no settings of the server', async (t) => {
      const ask = async (method: string, to: string, body: unknown) => {
        const headers = { authorization: `Bearer ${place.token}`, 'content-type': 'application/json' };
        return (await fetch(`${place.url}/api/v1${to}`, { method, headers, body: JSON.stringify(body) })).json();
      };
      await ask('PUT', `${HERE}/members/ben`, { role: 'admin' });
      const made = (await ask('POST', '/tokens', { name: 'of-ben', org: 'dev', user: 'ben' })) as { token: string };
      const theirs = await place.signedIn(made.token);
      await theirs.goto(`${place.url}${HERE}/settings`);
      await theirs.getByText('SQLite: one server').waitFor();
      t.equal(await theirs.getByText('Environment').count(), 0);
      t.equal(await theirs.getByRole('button', { name: 'New project' }).count(), 0);
      const headers = { authorization: `Bearer ${made.token}` };
      t.equal((await fetch(`${place.url}/api/v1/orgs/dev/server/settings`, { headers })).status, 403);
    });

    await t.test('both are accessible in both themes and on a narrow screen', async (t) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await place.newBrowser({ colorScheme, viewport: { width: 390, height: 800 } });
        const narrow = await place.signedIn(place.token, context);
        for (const [to, shows] of [
          ['/settings', /SVC_RETENTION/],
          ['/plugins', /SVC_PLUGINS/],
        ] as const) {
          await narrow.goto(`${place.url}${HERE}${to}`);
          await narrow.getByText(shows).first().waitFor();
          t.same(await inaccessible(narrow), [], `${colorScheme} ${to}`);
          const overflow = await narrow.evaluate('document.documentElement.scrollWidth - innerWidth');
          t.ok(Number(overflow) <= 0, `${to} is not wider than the screen`);
        }
      }
    });

    t.not(await page.title(), 'owned');
    t.same(place.faults, [], 'no error, and nothing that the content security policy refused');
  });
