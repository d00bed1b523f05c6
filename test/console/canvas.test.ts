import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console } from './browser.ts';
import { addByMouse, card, count, drag, drawn, field, ids, panel, saved, shows, stored, ways } from './drawing.ts';
import { omit } from '../kit/needs.ts';

const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

if (path === undefined) omit(t, 'the editor of graphs in a browser', 'chromium');
else
  t.test('the editor of graphs', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const base = `${place.url}/orgs/dev/projects/main/graphs`;
    const page = await place.signedIn();
    await page.setViewportSize({ width: 1400, height: 1000 });

    await t.test('from an empty page to a saved graph, by mouse', async (t) => {
      await page.goto(`${base}/new`);
      await page.getByText('The graph has no nodes yet.').waitFor();
      await addByMouse(page, 'trigger.webhook');
      await addByMouse(page, 'condition');
      await page.getByText('condition needs if').waitFor();
      await field(page, 'If').fill('nodes.webhook.output.payload.body.total > 100');
      await addByMouse(page, 'http');
      await page.getByText('HTTP request needs url').click();
      await shows(page, "document.activeElement?.ariaLabel === 'Url'");
      await page.keyboard.type('https://shop.example/orders');
      await field(page, 'Method').selectOption('POST');
      await field(page, 'Name of the new member of Headers').fill('X-Total');
      await panel(page).getByRole('button', { name: 'Add to Headers' }).click();
      await panel(page).getByRole('button', { name: 'use an expression for X-Total' }).click();
      await field(page, 'X-Total').fill('nodes.nowhere.output');
      await card(page, 'http').getByText('1 problem').waitFor();
      await panel(page).getByRole('group', { name: 'X-Total' }).getByText('the graph has no node nowhere').waitFor();
      await field(page, 'X-Total').fill('nodes.webhook.output.payload.body.total');
      await page.getByText('✓ No problems').waitFor();

      await page.getByRole('button', { name: 'Add a node' }).click();
      await page
        .getByRole('option', { name: 'code' })
        .dragTo(page.locator('.react-flow__pane'), { targetPosition: { x: 520, y: 420 } });
      await field(page, 'Script').fill('console.log(1);');
      await page.getByRole('button', { name: 'Arrange' }).click();
      await drawn(page);
      await drag(page, 'condition', 'code');
      await page.locator('.react-flow__edge-textwrapper', { hasText: 'false' }).click();
      await panel(page).getByRole('heading', { name: 'Edge' }).waitFor();
      await field(page, 'Case of the edge condition → code, when false').selectOption({ label: 'in every case' });
      await page.locator('.react-flow__edge-text', { hasText: 'false' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.locator('.react-flow__edge-text', { hasText: 'false' }).waitFor();
      await page.getByText('✓ No problems').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      t.equal(await page.evaluate('document.activeElement?.id'), 'graph-name', 'it needs a name first');
      await page.keyboard.type('orders');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(`${base}/orders/edit`);
      await page.getByRole('heading', { name: 'Edit orders' }).waitFor();
      const document = await stored(place, 'orders');
      t.same(ids(document), ['code code', 'condition condition', 'http http', 'webhook trigger.webhook']);
      t.same(ways(document), ['condition>code false', 'condition>http true', 'webhook>condition ']);
      t.match(document.nodes.find(({ id }) => id === 'http')?.config, {
        url: 'https://shop.example/orders',
        method: 'POST',
        headers: { 'X-Total': { $expr: 'nodes.webhook.output.payload.body.total' } },
      });
    });

    await t.test('a change is undone, redone, and asked for before one leaves', async (t) => {
      await card(page, 'http').click();
      await field(page, 'Title').pressSequentially('Tell the shop');
      await card(page, 'http').getByText('Tell the shop').waitFor();
      await card(page, 'code').click();
      await page.keyboard.press('Delete');
      await count(page, 3);
      await page.keyboard.press('Control+z');
      await count(page, 4);
      await page.keyboard.press('Control+z');
      await card(page, 'http').getByText('Tell the shop').waitFor({ state: 'detached' });
      await page.getByText('Nothing to save').waitFor();
      await page.keyboard.press('Control+Shift+z');
      await page.keyboard.press('Control+y');
      await count(page, 3);
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
      await page.getByRole('button', { name: 'Undo' }).click();
      await count(page, 4);
      await page.keyboard.press('Control+s');
      await saved(page, 2);
      t.equal((await stored(place, 'orders')).nodes.find(({ id }) => id === 'http')?.title, 'Tell the shop');
    });

    await t.test('a new id is followed by edges and expressions; a drag is one step', async (t) => {
      await card(page, 'webhook').click();
      await field(page, 'ID').fill('http');
      await field(page, 'ID').press('Enter');
      await panel(page).getByText('Another node has this id').waitFor();
      await field(page, 'ID').fill('in-coming');
      await field(page, 'ID').press('Enter');
      await card(page, 'in-coming').waitFor();
      t.equal(await page.evaluate('document.activeElement?.ariaLabel'), 'ID', 'the focus stays');
      const before = (await card(page, 'in-coming').boundingBox())!;
      await page.mouse.move(before.x + 100, before.y + 20);
      await page.mouse.down();
      await page.mouse.move(before.x + 130, before.y + 120, { steps: 8 });
      await page.mouse.up();
      const after = (await card(page, 'in-coming').boundingBox())!;
      t.ok(after.y - before.y > 80);
      await page.keyboard.press('Control+z');
      await shows(
        page,
        `Math.abs(document.querySelector('[data-id="in-coming"]').getBoundingClientRect().y - ${before.y}) < 2`,
      );
      await page.keyboard.press('Control+s');
      await saved(page, 3);
      const document = await stored(place, 'orders');
      t.same(ways(document), ['condition>code false', 'condition>http true', 'in-coming>condition ']);
      t.match(document.nodes.find(({ id }) => id === 'condition')?.config, {
        if: 'nodes["in-coming"].output.payload.body.total > 100',
      });
    });

    await t.test('the same all by keyboard', async (t) => {
      const keys = page.keyboard;
      await page.goto(`${base}/new`);
      await page.getByRole('heading', { name: 'New graph' }).waitFor();
      // The editor of a script lives in a shadow root.
      const focused = () =>
        page.evaluate("(document.activeElement?.shadowRoot?.activeElement ?? document.activeElement)?.ariaLabel ?? ''");
      /** Presses Tab until a field of this name has the focus. */
      const tabTo = async (label: string) => {
        for (let n = 0; n < 80 && (await focused()) !== label; n++) await keys.press('Tab');
        t.equal(await focused(), label);
      };
      const add = async (words: string) => {
        await keys.press('a');
        await page.getByRole('combobox', { name: 'Node type' }).waitFor();
        await keys.type(words);
        await page.locator('#node-types [role=option][aria-selected=true]').waitFor();
        await keys.press('Enter');
      };
      await add('webhook');
      await add('condition');
      await tabTo('If');
      await keys.type('true');
      await keys.press('Tab');
      await keys.press('Escape');
      await add('code');
      // The editor loads when it is first needed.
      await page.locator('.script-field .cm-content').waitFor();
      await tabTo('Script');
      await keys.type('console.log(1)');
      await page.getByText('2 nodes', { exact: false }).count();
      // Back to the condition by the list of nodes, and a second way from there.
      await keys.press('Tab');
      await keys.press('Escape');
      await panel(page).getByRole('button', { name: 'Condition condition' }).focus();
      await keys.press('Enter');
      await add('http');
      await tabTo('Url');
      await keys.type('https://shop.example');
      await keys.press('Tab');
      await keys.press('c');
      await tabTo('Connect to');
      await keys.press('Tab');
      await keys.press('Enter');
      await page.getByText(/^✓ No problems/).waitFor();
      await keys.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await keys.press('Escape');
      await keys.press('Control+s');
      await shows(page, "document.activeElement?.id === 'graph-name'");
      await keys.type('by-keys');
      await keys.press('Control+s');
      await page.waitForURL(`${base}/by-keys/edit`);
      const document = await stored(place, 'by-keys');
      t.same(ids(document), ['code code', 'condition condition', 'http http', 'webhook trigger.webhook']);
      t.ok(ways(document).includes('http>code '), 'connected by the list');
    });

    t.same(place.faults, [], 'no page had a fault');
  });
