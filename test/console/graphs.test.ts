import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { until } from '../../features/support/process.ts';
import { Console, inaccessible, PAGE_WAIT_MS } from './browser.ts';
import { lookAtGraphs } from './graphs-looks.ts';
import { saveGraphs, type Saved } from './graphs-sample.ts';
import { omit } from '../kit/needs.ts';

const HERE = '/orgs/dev/projects/main';
const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, name: RegExp | string) => page.getByRole('row', { name });
const card = (page: Page, name: RegExp) => page.locator('.react-flow__node').filter({ hasText: name });

/** Presses a button that asks first, and agrees. */
async function confirmed(page: Page, button: string, verb: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await dialog(page).getByRole('button', { name: verb, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

if (path === undefined) omit(t, 'graphs in a browser', 'chromium');
else
  t.test('graphs in a browser', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const saved: Saved = await saveGraphs(place);
    const page = await place.signedIn();
    const go = (to: string, on = page) => on.goto(`${place.url}${HERE}${to}`);

    await t.test('the list is searched, and a document is imported, exported and removed', async (t) => {
      await page.getByRole('link', { name: 'Graphs', exact: true }).click();
      await row(page, /^orders/).waitFor();
      await row(page, /^orders/)
        .getByText('by you')
        .waitFor();
      await page.getByLabel('Search graphs').fill('orders');
      await row(page, /^steps/).waitFor({ state: 'detached' });
      t.match(page.url(), /graphs\?q=orders$/);
      await page.getByLabel('Search graphs').fill('nothing-like-it');
      await page.getByText('No graph matches your search').waitFor();

      await page.getByRole('button', { name: 'Import' }).click();
      const bad = { version: 'svc-graph/v1', nodes: [{ id: 'a', type: 'sett' }] };
      await dialog(page)
        .getByLabel('File')
        .setInputFiles({
          name: 'My graph.json',
          mimeType: 'application/json',
          buffer: Buffer.from(JSON.stringify(bad)),
        });
      await dialog(page).getByRole('button', { name: 'Import graph' }).click();
      await dialog(page).getByText('did you mean set?').first().waitFor();
      const good = { version: 'svc-graph/v1', nodes: [{ id: 'a', type: 'set', config: { values: 1 } }] };
      await dialog(page).getByLabel('Document, as JSON').fill(JSON.stringify(good));
      await dialog(page).getByRole('button', { name: 'Import graph' }).click();
      await page.getByRole('heading', { name: /My-graph/, level: 1 }).waitFor();
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Actions for My-graph' }).click();
      await page.getByRole('menuitem', { name: 'Export as a file' }).click();
      const file = await (await coming).createReadStream();
      t.same(JSON.parse(await text(file)), good);
      await page.getByRole('button', { name: 'Actions for My-graph' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await dialog(page).getByRole('button', { name: 'Remove graph', exact: true }).click();
      await page.getByRole('heading', { name: 'Graphs', level: 1 }).waitFor();
      await row(page, /^orders/).waitFor();
      t.equal(await row(page, /^My-graph/).count(), 0);
    });

    await t.test('a graph is drawn; its versions are opened and compared', async (t) => {
      await page.getByRole('link', { name: 'orders' }).click();
      await card(page, /charge/).click();
      await page.getByRole('heading', { name: 'charge' }).waitFor();
      t.match(page.url(), /node=charge/, 'the choice stands in the address');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('link', { name: 'Versions' }).click();
      await row(page, /Version 2/)
        .getByText('latest')
        .waitFor();
      await row(page, /Version 2/)
        .getByRole('link', { name: 'What changed' })
        .click();
      await card(page, /refund.*added/).waitFor();
      await card(page, /notify.*removed/).waitFor();
      await card(page, /charge.*changed/).click();
      await page.getByRole('heading', { name: 'What changed in charge' }).waitFor();
      const change = row(page, /config\.values\.amount/);
      t.match(await change.innerText(), /changed\s+1\s+2/);
      await page.getByRole('button', { name: 'Show all' }).click();
      await row(page, /edge charge → refund/)
        .getByText('added')
        .waitFor();
      t.match((await place.svc(['graph', 'diff', 'orders@1', 'orders@2'])).stdout, /config\.values\.amount 1 → 2/);
      await page.getByRole('link', { name: 'Versions' }).click();
      await page.getByRole('link', { name: 'Version 1', exact: true }).click();
      await page.getByText('version 1 of 2').waitFor();
      await card(page, /notify/).waitFor();
      await go('/graphs/orders?tab=compare&from=9&to=2');
      await page.getByText(/no graph version/).waitFor();
    });

    await t.test('what a graph lacks is made without leaving', async (t) => {
      await go('/graphs/orders');
      await page.getByText('Something is missing').waitFor();
      const address = page.url();
      await page.getByRole('button', { name: 'Create shop-key' }).click();
      await dialog(page).locator('[name=token]').fill('sesame-sesame');
      await dialog(page).getByRole('button', { name: 'Store credential' }).click();
      await page.getByText('All credentials found').waitFor();
      t.equal(page.url(), address);
      await place.svc(['credential', 'rm', 'shop-key']);
      await page.getByText('Something is missing').waitFor();
      await place.svc(['credential', 'set', 'shop-key', '--kind', 'bearer', '--token', '-'], 'sesame-sesame');
      await page.getByText('All credentials found').waitFor();
    });

    await t.test('an admin publishes, and sees the secret once; a member and a viewer may not', async (t) => {
      await go('/graphs/orders');
      await confirmed(page, 'Publish', 'Publish version');
      await page.getByText('It is shown only once').waitFor();
      const secret = await page.locator('.once code').nth(1).innerText();
      const address = await page.locator('code', { hasText: '/hooks/' }).first().innerText();
      const sent = await fetch(address, {
        method: 'POST',
        headers: { 'x-svc-hook-secret': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ total: 7 }),
      });
      t.equal(sent.status, 202);
      await page.getByRole('button', { name: 'I have saved it' }).click();
      t.notMatch(await page.content(), secret);
      await row(page, /hook.*webhook/)
        .getByRole('link', { name: 'Handler' })
        .waitFor();
      await page.getByRole('link', { name: 'Newest run' }).click();
      await card(page, /hook.*succeeded/).waitFor();

      for (const [token, role] of [
        [saved.member, 'member'],
        [saved.viewer, 'viewer'],
      ] as const) {
        const other = await place.signedIn(token, await place.newBrowser());
        await go('/graphs/orders', other);
        await card(other, /charge/).waitFor();
        const names = await other.locator('.page-head button, .page-head a').allInnerTexts();
        t.same(names, role === 'member' ? ['Run now', 'Edit', ''] : [''], role);
        const answer = await fetch(`${place.url}/api/v1${HERE}/graphs/orders/unpublish`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
        });
        t.equal(answer.status, 403, 'and the API refuses it');
        await go('/graphs', other);
        await row(other, /^steps/).waitFor();
        t.equal(await other.getByRole('button', { name: 'Import' }).count(), role === 'member' ? 1 : 0);
        await go('/graphs/steps?tab=run', other);
        await other.getByText('No runs yet').waitFor();
        await other.context().close();
      }
      await go('/graphs/orders');
      await confirmed(page, 'Unpublish', 'Unpublish graph');
      await page.getByText('Not published.').waitFor();
    });

    await t.test('a run is drawn live, and is run again from a node', async (t) => {
      await go('/graphs/steps');
      await page.getByRole('button', { name: 'Run now' }).click();
      await dialog(page).getByLabel('Input, as JSON').fill('{"n": ');
      await dialog(page).getByRole('button', { name: 'Run graph' }).click();
      await dialog(page)
        .getByText(/This is not JSON/)
        .waitFor();
      await dialog(page).getByLabel('Input, as JSON').fill('{"n": 4, "list": [10, 20]}');
      await dialog(page).getByRole('button', { name: 'Run graph' }).click();
      await page.getByRole('heading', { name: /steps/, level: 1 }).waitFor();
      await card(page, /double.*succeeded/).waitFor();
      await card(page, /ok.*waits: signal/).waitFor();
      await card(page, /last.*not started/).waitFor();
      const run_id = page.url().split('/').at(-1)!;
      await place.svc(['signal', run_id, 'go', '--payload', '{"by":"me"}']);
      await card(page, /last.*succeeded/).waitFor();
      await card(page, /each.*2\/2/).click();
      await page.getByText('2 of 2 items ended').click();
      await page.getByText('[1]').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();

      await card(page, /double/).click();
      await page.getByText('Expressions, with the data of this run').click();
      await page.locator('.graph-values').getByText('8', { exact: true }).waitFor();
      const field = page.getByRole('textbox', { name: 'Try an expression here' });
      await field.fill('in');
      await page.getByRole('option', { name: /^input/ }).waitFor();
      await field.press('Enter');
      t.equal(await field.textContent(), 'input');
      await field.pressSequentially('.li');
      await page.getByRole('option', { name: /^list/ }).waitFor();
      await field.press('Enter');
      await field.pressSequentially('[0] + 1');
      await page.locator('.expression-value', { hasText: /^11$/ }).waitFor();
      await field.pressSequentially(' ');
      t.equal(await page.getByRole('listbox').count(), 0);
      await field.press('Control+Space');
      await page.getByRole('listbox').waitFor();
      await field.press('Escape');
      t.equal(await page.getByRole('listbox').count(), 0);
      await field.fill('input.n +');
      await page.getByText(/^Line 1, column \d+/).waitFor();
      await field.fill('input.nope');
      await page.getByText(/No value with the data.*no such field/).waitFor();
      t.same(await inaccessible(page), []);

      await page.locator('.graph-node').getByRole('button', { name: 'Rerun from here' }).click();
      await dialog(page).getByRole('button', { name: 'Rerun', exact: true }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(run_id));
      await page.getByText('Rerun of', { exact: true }).waitFor();
      await card(page, /start.*kept/).waitFor();
      await go('/graphs/steps?tab=run&node=ok');
      await card(page, /ok.*waits: signal/).waitFor();
      await place.svc(['submit', '--graph', 'steps', '--input', '{"n":1,"list":[]}']);
      await card(page, /each.*0\/0/).waitFor();
    });

    await t.test('what changes during the first read of a run is drawn', async () => {
      const submitted = await place.svc(['submit', '--graph', 'steps', '--input', '{"n":1,"list":[]}', '--json']);
      const [run_id = ''] = submitted.stdout.match(/run_\w{26}/) ?? [];
      await until('the run to wait', PAGE_WAIT_MS, async () =>
        (await place.svc(['status', run_id])).stdout.includes('waiting') ? true : undefined,
      );
      const read = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      await page.route(
        (url) => url.pathname.endsWith(`/runs/${run_id}/steps`),
        async (route) => {
          const response = await route.fetch();
          read.resolve();
          await released.promise;
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      await go('/graphs/steps?tab=run');
      await read.promise;
      await place.svc(['signal', run_id, 'go', '--payload', '{"by":"me"}']);
      await page.locator('main').getByText('Succeeded', { exact: true }).waitFor();
      released.resolve();
      await card(page, /last.*succeeded/).waitFor();
    });

    await t.test('one node runs alone', async (t) => {
      await go('/graphs/steps?node=double');
      await page.getByRole('button', { name: 'Run node alone' }).click();
      await dialog(page).getByLabel('Config, as JSON').fill('{"values": {"$expr": "input.n + 1"}}');
      await dialog(page).getByLabel('Input, as JSON').fill('{"n": 41}');
      await dialog(page).getByRole('button', { name: 'Run node' }).click();
      await page.getByRole('heading', { name: /^set/, level: 1 }).waitFor();
      await card(page, /node.*succeeded/).waitFor();
      await page.locator('dd', { hasText: /^42$/ }).first().waitFor();
      t.pass('it came to 42');
    });

    await t.test('the editor evaluates, reports and runs what is not saved', async (t) => {
      const editor = await place.newPage(page.context());
      await go('/graphs/steps/edit', editor);
      await card(editor, /double/).click();
      const field = editor.locator('.expression').getByRole('textbox').first();
      t.equal(await field.textContent(), 'input.n * 2');
      const value = editor.locator('.expression-value');
      await value.filter({ hasText: /^2$/ }).waitFor();
      await field.fill('input.n * 300');
      await value.filter({ hasText: /^300$/ }).waitFor();
      await field.press('Control+End');
      await field.pressSequentially(' + nodes.');
      await editor.getByRole('option', { name: /^start/ }).waitFor();
      const offered = await editor.getByRole('listbox').getByRole('option').allInnerTexts();
      t.same(
        offered.map((text) => text.split(/\s/)[0]),
        ['start'],
        'nothing else runs before',
      );
      await field.fill('input.n * 300');
      await editor.getByRole('button', { name: 'Run draft' }).click();
      await dialog(editor).getByLabel('Input, as JSON').fill('{"n": 5, "list": []}');
      await dialog(editor).getByRole('button', { name: 'Run graph' }).click();
      const link = editor.getByRole('link', { name: /^Run \w{6}/ });
      const run_id = (await link.getAttribute('href'))!.split('/').at(-1)!;
      t.match((await place.svc(['source', run_id])).stdout, /input\.n \* 300/, 'the document as it stood there');
      t.match((await place.svc(['source', run_id, '--input'])).stdout, /"n": 5/);
      const drawn = await place.newPage(page.context());
      await go(`/runs/${run_id}`, drawn);
      await card(drawn, /double.*succeeded/).click();
      await drawn.locator('.graph-node dd', { hasText: /^1500$/ }).waitFor();
      await drawn.close();

      await editor.close();
      const other = await place.newPage(page.context());
      await go('/graphs/orders/edit', other);
      await other.getByText('Credentials and accounts').click();
      await other.getByText('All credentials found').waitFor();
      await other.getByRole('button', { name: 'pack', exact: true }).first().click();
      await other.getByRole('heading', { name: 'pack' }).waitFor();
      await other.close();
      const expr = await place.svc([
        'expr',
        'input.total > 10 && nodes.a.output',
        '--names',
        '{"nodes":{"a":{"output":true}}}',
        '--input',
        '{"total":12}',
      ]);
      t.equal(expr.stdout.trim(), 'true');
      const bad = await place.svc(['expr', 'input.total >', '--input', '{}']);
      t.same([bad.exit, /line 1, column \d+/.test(bad.stderr)], [1, true]);
    });

    await t.test('hostile texts stay texts, and every page is accessible in both themes and at 390 px', (t) =>
      lookAtGraphs(t, place),
    );
  });
