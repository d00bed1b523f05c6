import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import t from 'tap';
import { runToEnd, Service } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { homeFolder } from '../../features/support/home.ts';
import { freePort } from '../../features/support/free-port.ts';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

/** The person signs in at the provider, and agrees. */
async function agree(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByText('Continue').click();
}

t.test(
  'a person connects an account in a browser, loses it, and connects it again',
  { timeout: 180_000 },
  async (t) => {
    const executablePath = BROWSERS.find((path) => existsSync(path));
    if (executablePath === undefined) return t.comment('left out: connecting in a browser (there is no Chromium)');
    const folder = await homeFolder('svc-connections-');
    const port = await freePort();
    const far = new OidcServer();
    await far.listen({ redirect_uri: `http://127.0.0.1:${port}/connections/callback` });
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify([far.settings('far')]),
    };
    const dev = new Service(svcProgram, ['dev', '--port', String(port)], { cwd: folder, env });
    const browser = await chromium.launch({ executablePath, args: QUIET });
    t.teardown(async () => {
      await browser.close();
      await dev.kill('SIGTERM');
      await far.close();
      await rm(folder, { recursive: true, force: true });
    });
    const [, url = ''] = await dev.says(/is ready: (\S+)/);
    const { token } = JSON.parse(await readFile(join(folder, '.svc/profile.json'), 'utf8')) as { token: string };
    const svc = (...args: string[]) => runToEnd(svcProgram, args, { cwd: folder, env });

    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    const shot = async (name: string) => {
      if (process.env.SVC_SCREENSHOT) await page.screenshot({ path: `${process.env.SVC_SCREENSHOT}.${name}.png` });
    };
    await page.goto(url);
    await page.getByLabel(/token/i).fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByText('No account is connected yet').waitFor();
    await page.getByLabel('Name').fill('mail');
    await page.getByRole('button', { name: 'Connect' }).click();
    await agree(page, 'ana');
    await page.getByRole('heading', { name: 'The account is connected' }).waitFor();
    await shot('callback');
    const answer = page.url();
    await page.getByRole('link', { name: /Connections/ }).click();
    const row = page.getByRole('row', { name: /mail/ });
    await row.getByText('active').waitFor();
    await row.getByText('ana at the provider').waitFor();
    t.equal(await row.getByRole('cell', { name: /^dev/ }).count(), 1, 'who granted it is shown');
    await shot('connections');

    await page.goto(answer);
    await page.getByRole('heading', { name: /used already/ }).waitFor();
    const other = await browser.newContext();
    const stranger = await other.newPage();
    await stranger.goto(answer);
    await stranger.getByRole('heading', { name: /another browser/ }).waitFor();

    await page.goto(`${url.replace(/\/$/, '')}/orgs/dev/projects/main/connections`);
    await row.getByRole('button', { name: 'Disable' }).click();
    await row.getByText(/switched off by dev/).waitFor();
    t.match((await svc('account', 'list')).stdout, /mail\s+far\s+.*disabled\s+http.*\/connections#mail/);
    await row.getByRole('button', { name: 'Connect again' }).click();
    await page.getByText('Continue').click();
    await page.getByRole('heading', { name: /connected again/ }).waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByRole('link', { name: /Connections/ }).click();
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No account is connected yet').waitFor();
    t.same(faults, [], 'no error in the pages');
    return undefined;
  },
);
