import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { omit } from '../kit/needs.ts';
import { Console, inaccessible } from './browser.ts';

const path = chromiumPath();

t.setTimeout(600_000);

if (path === undefined) omit(t, 'saved views of runs in a browser', 'chromium');
else
  t.test('filters of runs are saved as views', { timeout: 600_000 }, async (t) => {
    const place = await Console.open(t, path);
    const runs = `${place.url}/orgs/dev/projects/main/runs`;
    for (const [name, source] of Object.entries({ 'fine.sh': 'true\n', 'broken.sh': 'exit 3\n' })) {
      await writeFile(join(place.folder, name), source);
      await place.svc(['submit', name, '--follow']);
    }
    await place.svc(['view', 'set', 'of-others', '--workflow', 'fine.sh']);
    const page = await place.signedIn();
    const run = (name: string) => page.getByRole('row').getByText(name, { exact: true });
    const tab = (name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name });

    await t.test('a view of the command line is opened', async (t) => {
      await page.goto(runs);
      await run('broken.sh').waitFor();
      await tab('of-others').click();
      await page.waitForURL(`${runs}?view=of-others`);
      await run('broken.sh').waitFor({ state: 'detached' });
      t.equal(await run('fine.sh').count(), 1);
      await page.getByRole('button', { name: 'Change Workflow: fine.sh' }).waitFor();
      t.equal(await tab('of-others').getAttribute('aria-current'), 'page');
    });

    await t.test('the filters of the page are saved, and its address opens them elsewhere', async (t) => {
      await page.goto(`${runs}?status=failed&paused=false`);
      await page.getByRole('button', { name: 'Save view' }).click();
      const dialog = page.getByRole('dialog', { name: 'Save these filters as a view' });
      await dialog.getByLabel('Name').fill('two words');
      await dialog.getByRole('button', { name: 'Save view' }).click();
      t.equal(
        await page.evaluate(`document.querySelector('[role=dialog] [name=name]').validity.patternMismatch`),
        true,
      );
      await dialog.getByLabel('Name').fill('failures');
      await dialog.getByLabel('Seen by').selectOption('Only you');
      t.same(await inaccessible(page), []);
      await dialog.getByRole('button', { name: 'Save view' }).click();
      await page.waitForURL(`${runs}?view=failures`);
      await run('broken.sh').waitFor();
      t.equal(await run('fine.sh').count(), 0);
      t.same(await inaccessible(page), []);
      const shown = JSON.parse((await place.svc(['view', 'show', 'failures', '--json'])).stdout);
      t.match(shown, { private: true, filter: { status: 'failed', paused: false } });

      const other = await place.signedIn();
      await other.goto(`${runs}?view=failures&status=succeeded`);
      await other.getByRole('row').getByText('fine.sh', { exact: true }).waitFor();
      await other.getByRole('button', { name: 'Change status: succeeded' }).waitFor();
      await other.getByRole('button', { name: 'Remove the filter Paused' }).click();
      await other.waitForURL(`${runs}?status=succeeded`);
      await other.goto(`${runs}?view=failurs`);
      await other.getByText('did you mean failures?').waitFor();
    });

    await t.test('a view is removed, and its filters stay on the page', async (t) => {
      await page.getByRole('button', { name: 'Remove view' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove the view failures?' });
      await dialog.getByText('Only you can see it.').waitFor();
      await dialog.getByRole('button', { name: 'Remove view' }).click();
      await page.waitForURL(/status=failed/);
      await tab('failures').waitFor({ state: 'detached' });
      t.equal(await run('broken.sh').count(), 1);
      t.match((await place.svc(['view', 'ls'])).stdout, /of-others/);
      t.notMatch((await place.svc(['view', 'ls'])).stdout, /failures/);
    });

    t.same(place.faults, []);
  });
