import type { Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { until } from '../../features/support/process.ts';
import { Console, inaccessible } from './browser.ts';
import { omit } from '../kit/needs.ts';

const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const PROJECT = '/orgs/dev/projects/main';

async function put({ url, token }: Console, below: string, body: object): Promise<void> {
  const response = await fetch(`${url}/api/v1${PROJECT}${below}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${below}: ${response.status} ${await response.text()}`);
}

const refused = (detail: string) => ({
  status: 409,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: 'about:blank', title: 'Conflict', status: 409, code: 'conflict', detail }),
});

const choose = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

if (path === undefined) omit(t, 'the console in a browser, with changes of others', 'chromium');
else
  t.test('no page shows what is of another thing, or loses what it was told', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const page = await place.signedIn();
    const submit = async (source: string) => {
      const { stdout } = await place.svc(['submit', '-', '--json'], source);
      return (JSON.parse(stdout) as { run_id: string }).run_id;
    };
    const open = async (area: string) => {
      await page.getByRole('link', { name: area, exact: true }).click();
      await page.getByRole('heading', { name: area, level: 1 }).waitFor();
    };

    await t.test('a form begins from what is there when it opens', async (t) => {
      const handler = (on: string) => ({ on: [on], source: 'true\n', filename: 'a.sh' });
      await put(place, '/handlers/ours', handler('order.paid'));
      await open('Handlers');
      await page.getByRole('link', { name: 'ours', exact: true }).click();
      await page.getByRole('heading', { name: 'ours', level: 1 }).waitFor();
      await open('Handlers');
      await put(place, '/handlers/ours', handler('order.changed_by_another'));
      await choose(page, 'ours', 'Edit handler');
      t.equal(await page.getByRole('textbox', { name: 'Event types' }).inputValue(), 'order.changed_by_another');
      await page.getByRole('button', { name: 'Cancel' }).click();
    });

    await t.test('a secret that is shown once stays through an edit, and is of one hook', async (t) => {
      await put(place, '/event-hooks/other', {});
      await open('Hooks');
      await page.getByRole('link', { name: 'New hook' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('made');
      await page.getByRole('button', { name: 'Create hook' }).click();
      const secret = page.getByRole('heading', { name: 'The secret of the hook made' });
      await secret.waitFor();
      await choose(page, 'made', 'Edit hook');
      await page.getByRole('textbox', { name: 'Event type' }).fill('made.done');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Hook made saved').waitFor();
      t.equal(await secret.count(), 1, 'an edit that makes no secret leaves it');
      await page.getByRole('link', { name: 'made', exact: true }).click();
      await page.getByRole('heading', { name: 'made', level: 1 }).waitFor();
      await choose(page, 'made', 'New secret');
      await page.getByRole('dialog').getByRole('button', { name: 'Create secret' }).click();
      await secret.waitFor();
      // As a link on the page would do it, without a load.
      await page.evaluate(`history.pushState({}, '', '${PROJECT}/hooks/other')`);
      await page.getByRole('heading', { name: 'other', level: 1 }).waitFor();
      await page.getByRole('heading', { name: 'Recent deliveries' }).waitFor();
      t.equal(await page.locator('.once').count(), 0, 'it is not shown on the page of another hook');
    });

    await t.test('runs that could not be cancelled are named', async (t) => {
      const kept = await submit('svc wait-signal a\n');
      const gone = await submit('svc wait-signal a\n');
      await page.route(`**/runs/${kept}/cancel`, (route) => route.fulfill(refused('It is held by a test.')));
      await open('Runs');
      for (const id of [kept, gone]) await page.getByRole('checkbox', { name: `Select ${id}` }).check();
      await page.getByRole('button', { name: 'Cancel 2' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel runs' }).click();
      await page
        .getByRole('dialog')
        .getByText(`${kept.slice(-6)}: It is held by a test.`)
        .waitFor();
      t.same(await inaccessible(page), []);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
      await page.getByRole('toolbar', { name: '1 selected' }).waitFor();
      t.equal((await place.svc(['cancel', kept])).exit, 0);
    });

    await t.test('a run that asks again at once is shown again', async (t) => {
      const source = "echo 'Ship it?' | svc annotate -\nsvc wait-signal approve_one\nsvc wait-signal approve_two\n";
      const run = await submit(source);
      await page.goto(`${place.url}${PROJECT}`);
      const item = page.getByRole('listitem').filter({ hasText: 'Ship it?' });
      const approve = item.getByRole('button', { name: 'Approve' });
      await approve.waitFor();
      // The page learns of the answer and of the next question in one read.
      const again = Promise.withResolvers<void>();
      const lists = /\/runs\?status=queued/;
      await page.route(lists, (route) => again.promise.then(() => route.continue()));
      await approve.click();
      await approve.waitFor({ state: 'detached' });
      await until('the run to ask again', 60_000, async () =>
        (await place.svc(['status', run, '--json'])).stdout.includes('approve_two') ? true : undefined,
      );
      again.resolve();
      await approve.click();
      await page.getByText("You're all caught up").waitFor();
      await page.unroute(lists);
      t.match((await place.svc(['status', run])).stdout, /succeeded|running/);
    });

    await t.test('Overview says which of its lists could not be read, and calls none of them empty', async (t) => {
      const lists = /\/runs\?status=failed/;
      const run = await submit('exit 1\n');
      await place.svc(['logs', run, '--follow']);
      const refuse = refused('Failed runs are held by a test.');
      await page.route(lists, (route) => route.fulfill(refuse));
      await page.reload();
      await page.getByText('Failed runs are held by a test.').waitFor();
      await page.getByRole('link', { name: 'The failed run' }).waitFor();
      t.equal(await page.getByText('Nothing failed').count(), 0);
      // A live message reads the list again as well, and would take the button away before it is pressed: the
      // list is refused until then.
      await page.route(lists, async (route) =>
        (await page.evaluate<boolean>(`document.documentElement.hasAttribute('data-pressed')`))
          ? route.continue()
          : route.fulfill(refuse),
      );
      await page.evaluate(
        `document.addEventListener('click', () => document.documentElement.setAttribute('data-pressed', ''), true)`,
      );
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('link', { name: 'The failed run' }).waitFor();
      await page.getByText('Failed runs are held by a test.').waitFor({ state: 'detached' });
      await page.unroute(lists);
      t.same(await inaccessible(page), []);
    });

    t.same(place.faults, []);
  });
