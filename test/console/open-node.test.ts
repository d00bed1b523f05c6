import type { Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible } from './browser.ts';
import { card, count, field, panel, saved, shows, stored, ways } from './drawing.ts';
import { omit } from '../kit/needs.ts';

const SHOP = {
  version: 'svc-graph/v1',
  title: 'Orders',
  nodes: [
    { id: 'order', type: 'trigger.webhook', title: 'Order created' },
    { id: 'large', type: 'condition', config: { if: 'nodes.order.output.payload.body.total > 100' } },
    { id: 'list', type: 'set', config: { values: { $expr: 'nodes.order.output.payload.body.items' } } },
    { id: 'pack', type: 'shell', title: 'Pack parcel', config: { script: 'echo packed' } },
  ],
  edges: [
    { from: 'order', to: 'large' },
    { from: 'large', to: 'list', when: false },
    { from: 'list', to: 'pack' },
  ],
};
const BODY = { id: 7, total: 5, customer: 'Jansen', items: [{ sku: 'MUG' }, { sku: 'TEE' }] };
const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const pane = (page: Page, name: 'Data in' | 'Data out') => page.getByRole('region', { name, exact: true });
const row = (page: Page, name: string) => pane(page, 'Data in').getByRole('treeitem', { name, exact: false }).first();

if (path === undefined) omit(t, 'an open node in a browser', 'chromium');
else
  t.test('a node with the data before and after it', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const base = `${place.url}/orgs/dev/projects/main/graphs`;
    const page = await place.signedIn();
    await page.setViewportSize({ width: 1280, height: 860 });
    t.equal((await place.svc(['graph', 'save', 'shop', '-'], JSON.stringify(SHOP))).exit, 0);

    await t.test('before any run, data is given by hand, and the node is tried with it', async () => {
      await page.goto(`${base}/shop/edit`);
      await card(page, 'pack').dblclick();
      await pane(page, 'Data in').getByText('No run has data for this node yet.').waitFor();
      await pane(page, 'Data in').getByRole('button', { name: 'Edit the sample of Order created' }).click();
      const dialog = page.getByRole('dialog', { name: 'Sample for Order created' });
      await dialog.getByLabel('Sample, as JSON').fill('{"payload"');
      await dialog.getByRole('button', { name: 'Pin sample' }).click();
      await dialog.getByText(/This is not JSON/).waitFor();
      await dialog.getByLabel('Sample, as JSON').fill(JSON.stringify({ payload: { body: { ...BODY, id: 41 } } }));
      await dialog.getByRole('button', { name: 'Pin sample' }).click();
      await pane(page, 'Data in').getByText('Sample pinned').waitFor();
      // A program sees no expression: what is chosen becomes a variable that it reads.
      await field(page, 'Script').fill('echo "{\\"order\\": ');
      await row(page, 'id 41').click();
      await field(page, 'ORDER_ID').getByText('nodes.order.output.payload.body.id').waitFor();
      await field(page, 'Script').fill('echo "{\\"order\\": $ORDER_ID}"');
      await page.getByRole('button', { name: 'Try this node' }).click();
      await pane(page, 'Data out').getByText('Succeeded').waitFor();
      await pane(page, 'Data out').getByRole('treeitem', { name: 'order 41' }).waitFor();
    });

    await t.test('a node that fails says so where it is', async () => {
      await field(page, 'Script').fill('echo no stock >&2; exit 3');
      await page.getByRole('button', { name: 'Try this node' }).click();
      await pane(page, 'Data out')
        .getByRole('alert')
        .getByText(/no stock/)
        .waitFor();
      await field(page, 'Script').fill('echo "{\\"order\\": $ORDER_ID}"');
      await pane(page, 'Data in').getByRole('button', { name: 'Unpin the sample of Order created' }).click();
      await page.keyboard.press('Control+s');
      await saved(page, 2);
    });

    await t.test('a run of the draft goes on in the editor, with counts on its edges', async (t) => {
      await page.getByRole('button', { name: 'Close the node' }).click();
      await page.getByRole('button', { name: 'Run draft' }).click();
      await page.getByLabel('Input, as JSON').fill(JSON.stringify({ payload: { body: BODY } }));
      await page.getByRole('button', { name: 'Run graph' }).click();
      await page.locator('.draft-run').getByText('Succeeded').waitFor();
      t.equal(new URL(page.url()).pathname.endsWith('/shop/edit'), true, 'nobody is led away');
      await card(page, 'pack').getByText('✓ succeeded').waitFor();
      await page.locator('.react-flow__edge-text', { hasText: /^false 1$/ }).waitFor();
      await page.locator('.react-flow__edge-text', { hasText: /^2$/ }).waitFor();
      await page.getByRole('button', { name: 'Run draft' }).click();
      t.match(await page.getByLabel('Input, as JSON').inputValue(), /"Jansen"/, 'the input of the last run is offered');
      await page.keyboard.press('Escape');
      await page.reload();
      await page.locator('.draft-run').getByText('Succeeded').waitFor();
      await card(page, 'pack').getByText('✓ succeeded').waitFor();
      await page.getByRole('button', { name: 'Hide the run on the canvas' }).click();
      await card(page, 'pack').getByText('Shell').waitFor();
    });

    await t.test('by keyboard: data comes to the field in which one was', async (t) => {
      const keys = page.keyboard;
      await card(page, 'large').focus();
      await keys.press('Enter');
      await keys.press('o');
      await pane(page, 'Data in').waitFor();
      await field(page, 'If').focus();
      await keys.press('End');
      await keys.type(' && ');
      await pane(page, 'Data in').getByRole('tree').getByRole('treeitem').first().focus();
      await keys.press('End');
      await keys.press('Home');
      // nodes.order.output › payload › body › id, total
      for (let n = 0; n < 4; n++) await keys.press('ArrowDown');
      await keys.press('Enter');
      t.equal(
        await field(page, 'If').textContent(),
        'nodes.order.output.payload.body.total > 100 && nodes.order.output.payload.body.total',
      );
      await shows(page, "document.activeElement?.shadowRoot?.activeElement?.ariaLabel === 'If'");
      await keys.press('Control+a');
      await keys.type('nodes.order.output.payload.body.total > 100');
      await keys.press('Escape');
      await keys.press('Tab');
      await keys.press('Escape');
      await pane(page, 'Data in').waitFor({ state: 'detached' });
    });

    await t.test('as tables; an output is pinned for those that come after', async (t) => {
      await card(page, 'list').dblclick();
      await page.getByRole('group', { name: 'Show output data as' }).getByRole('button', { name: 'Table' }).click();
      await pane(page, 'Data out').getByRole('cell', { name: 'TEE' }).waitFor();
      await pane(page, 'Data out').getByRole('button', { name: 'Pin as sample' }).click();
      await pane(page, 'Data out').getByText('Sample pinned').waitFor();
      // Of a stored graph: the newest run of it is there whenever one comes back.
      const input = JSON.stringify({ payload: { body: BODY } });
      t.equal((await place.svc(['submit', '--graph', 'shop', '--input', input, '--follow'])).exit, 0);
      await page.reload();
      await card(page, 'pack').dblclick();
      await pane(page, 'Data in').getByText('Sample pinned').waitFor();
      await pane(page, 'Data in').getByRole('button', { name: 'Unpin the sample of list' }).click();
      await pane(page, 'Data in').getByText('Last run').waitFor();
    });

    await t.test('completion in a program: a member becomes a variable', async () => {
      await field(page, 'Script').fill('');
      await field(page, 'Script').click();
      await page.keyboard.type('echo nodes.order.output.payload.body.cus', { delay: 10 });
      await page.getByRole('option', { name: /^customer/ }).waitFor();
      // What is offered is taken after a moment, so that no Enter that came too early takes it.
      await page.getByRole('option', { name: /^customer/ }).click();
      await field(page, 'ORDER_CUSTOMER').waitFor();
      await panel(page).locator('.cm-line', { hasText: 'echo "$ORDER_CUSTOMER"' }).waitFor();
    });

    await t.test('a node comes into an edge', async (t) => {
      await page.goto(`${base}/shop/edit`);
      await page.getByText('✓ No problems').waitFor();
      await page.locator('.react-flow__edge[data-id*="list"][data-id*="pack"]').hover();
      await page.getByRole('button', { name: 'Add a step between list and pack' }).click();
      await page.getByRole('option', { name: 'delay' }).click();
      await count(page, 5);
      await field(page, 'For').fill('1s');
      await page.getByText('✓ No problems').waitFor();
      await page.keyboard.press('Control+s');
      await saved(page, 3);
      t.same(ways(await stored(place, 'shop')), ['delay>pack ', 'large>list false', 'list>delay ', 'order>large ']);
    });

    await t.test('an edge that ends on empty ground asks what comes there', async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Fit', exact: true }).click();
      const handle = (await card(page, 'large').locator('.source').boundingBox())!;
      await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
      await page.mouse.down();
      await page.mouse.move(handle.x + 40, handle.y + 160, { steps: 6 });
      await page.mouse.up();
      await page.getByRole('option', { name: 'set', exact: false }).first().click();
      await count(page, 6);
      await page.locator('.react-flow__edge-text', { hasText: 'true' }).waitFor();
      await page.keyboard.press('Control+z');
      await count(page, 5);
    });

    await t.test('in both themes, and narrow as tabs', async (t) => {
      const open = async (id: string) => {
        await card(page, id).focus();
        await page.keyboard.press('Enter');
        await page.keyboard.press('o');
      };
      await page.getByRole('button', { name: 'Fit', exact: true }).click();
      await page.keyboard.press('Escape');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await open('pack');
        await pane(page, 'Data out').waitFor();
        t.same(await inaccessible(page), [], `open, ${colorScheme}`);
        await page.getByRole('group', { name: 'Show input data as' }).getByRole('button', { name: 'Table' }).click();
        t.same(await inaccessible(page), [], `as tables, ${colorScheme}`);
        await page.getByRole('button', { name: 'Close the node' }).click();
      }
      await open('pack');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('button', { name: 'In', exact: true }).click();
      await pane(page, 'Data in').waitFor();
      t.equal(await pane(page, 'Data out').isVisible(), false);
      await page.getByRole('button', { name: 'Out', exact: true }).click();
      await pane(page, 'Data out').waitFor();
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= 390'), 'nothing is wider than the page');
      t.same(await inaccessible(page), [], 'narrow');
    });

    await t.test(
      'a loop is opened on the canvas, changed and saved with its graph, and its items are in a run',
      async (t) => {
        const other = await place.signedIn(
          place.token,
          await place.newBrowser({ viewport: { width: 1280, height: 860 } }),
        );
        const nodes = [
          { id: 'double', type: 'set', title: 'Double it', config: { values: { $expr: 'item * 2' } } },
          { id: 'note', type: 'set', config: { values: { $expr: 'nodes.double.output + input' } } },
        ];
        const edges = [{ from: 'double', to: 'note' }];
        const config = { items: [1, 2], input: 5, nodes, edges };
        const loop = { version: 'svc-graph/v1', nodes: [{ id: 'loop', type: 'each', title: 'Each number', config }] };
        t.equal((await place.svc(['graph', 'save', 'loop', '-'], JSON.stringify(loop))).exit, 0);
        await other.goto(`${base}/loop/edit`);
        await card(other, 'loop').getByText('Loop', { exact: true }).waitFor();
        await card(other, 'loop').dblclick();
        await panel(other).getByText('Double it, note').waitFor();
        await other.getByRole('button', { name: 'Try this node' }).click();
        await pane(other, 'Data out').getByText('Succeeded').waitFor();
        await other.keyboard.press('l');
        await count(other, 2);
        await card(other, 'double').click();
        await field(other, 'Title').fill('Twice');
        t.equal(await other.getByRole('button', { name: /^Try/ }).count(), 0, 'a node of a loop runs in its loop');
        await card(other, 'note').click();
        await field(other, 'Values').fill('nodes.gone.output');
        await card(other, 'note').getByText('1 problem').waitFor();
        await other.getByRole('navigation', { name: 'Open loop' }).getByRole('button', { name: 'Graph' }).click();
        await card(other, 'loop').getByText('1 problem').waitFor();
        t.match(await panel(other).getByRole('heading', { level: 2 }).innerText(), 'Each number', 'it is chosen');
        await other.getByRole('button', { name: /^Problem Each number › note › values › \$expr: .*gone/ }).click();
        await count(other, 2);
        await shows(other, "document.activeElement?.shadowRoot?.activeElement?.ariaLabel === 'Values'");
        await other.getByRole('button', { name: 'Undo' }).click();
        await other.getByText('✓ No problems').waitFor();
        await other.getByRole('button', { name: 'Add a node' }).click();
        await other.getByRole('option', { name: 'delay' }).waitFor();
        t.equal(await other.getByRole('option', { name: 'trigger.' }).count(), 0, 'a loop has no triggers');
        await other.getByRole('option', { name: 'delay' }).click();
        await count(other, 3);
        await other.getByText('delay needs for').waitFor();
        t.same(await inaccessible(other), [], 'in a loop');
        await other.keyboard.press('Delete');
        await count(other, 2);
        await other.keyboard.press('Escape');
        await card(other, 'loop').getByText('Loop', { exact: true }).waitFor();
        await other.keyboard.press('Control+s');
        await saved(other, 2);
        const { nodes: after } = await stored(place, 'loop');
        t.match(after, [{ config: { items: [1, 2], input: 5, edges, nodes: [{ title: 'Twice' }, nodes[1]] } }]);
        const { stdout } = await place.svc(['submit', '--graph', 'loop']);
        t.equal((await place.svc(['status', stdout.trim(), '--wait', '60s'])).exit, 0);
        await other.goto(`${place.url}/orgs/dev/projects/main/runs/${stdout.trim()}`);
        await card(other, 'loop').getByText('2/2').waitFor();
        await card(other, 'loop').click();
        await other.getByText('2 of 2 items ended').click();
        await other.getByText('[1]').waitFor();
        await other.getByRole('link', { name: 'Runs of the items' }).waitFor();
        t.same(await inaccessible(other), []);
        await other.context().close();
      },
    );

    await t.test('whoever signs out leaves no sample behind', async (t) => {
      await page.setViewportSize({ width: 1280, height: 860 });
      const samples = () =>
        page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('svc.samples.')).length");
      await pane(page, 'Data out').getByRole('button', { name: 'Pin as sample' }).click();
      t.equal(await samples(), 1);
      await page.locator('.user').click();
      await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
      await page.getByLabel('Access token').waitFor();
      t.equal(await samples(), 0);
    });

    t.same(place.faults, [], 'no page had a fault');
  });
