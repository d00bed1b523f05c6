import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import t from 'tap';
import { runToEnd, Service } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';
import { homeFolder } from '../../features/support/home.ts';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

const HOSTILE = '<img src=x onerror="document.title=`owned`">';

t.test('the console signs in, lists runs and shows one, in a real browser', { timeout: 90_000 }, async (t) => {
  const executablePath = BROWSERS.find((path) => existsSync(path));
  if (executablePath === undefined) return t.comment('left out: the console in a browser (there is no Chromium)');
  const folder = await homeFolder('svc-console-');
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const dev = new Service(svcProgram, ['dev', '--port', '0'], { cwd: folder, env });
  const browser = await chromium.launch({ executablePath, args: QUIET });
  t.teardown(async () => {
    await browser.close();
    await dev.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  const [, url = ''] = await dev.says(/is ready: (\S+)/);
  const { token } = JSON.parse(await readFile(join(folder, '.svc/profile.json'), 'utf8')) as { token: string };
  const source = `svc step say -- printf '%s' '${HOSTILE}'\necho '${HOSTILE}'\n`;
  const submitted = await runToEnd(svcProgram, ['submit', '-', '--follow'], { cwd: folder, env, stdin: source });
  t.equal(submitted.exit, 0, submitted.stderr);

  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(url);
  await page.getByLabel(/token/i).fill('svc_pat_wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel(/token/i).fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'succeeded' }).first().waitFor();
  if (process.env.SVC_SCREENSHOT) await page.screenshot({ path: `${process.env.SVC_SCREENSHOT}.list.png` });
  await page
    .getByRole('link', { name: /stdin|run_|script/ })
    .first()
    .click();
  await page.getByRole('cell', { name: /step say/ }).waitFor();
  await page.getByText(HOSTILE).first().waitFor();
  t.not(await page.title(), 'owned', 'what a script prints is text');
  t.equal(await page.locator('img[src="x"]').count(), 0);
  t.same(faults, [], 'no error in the page');
  t.notOk(page.url().includes(token), 'the token stands in no address');
  if (process.env.SVC_SCREENSHOT) await page.screenshot({ path: process.env.SVC_SCREENSHOT, fullPage: true });
  return undefined;
});
