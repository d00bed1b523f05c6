import { text } from 'node:stream/consumers';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible } from './browser.ts';
import { card, chooseNothing, count, field, panel, saved, shows, stored, ways } from './drawing.ts';
import { omit } from '../kit/needs.ts';

const HOSTILE = '<img src=x onerror="document.title=`owned`">\u202e';
/** Of the pointer, in the drag of a card among 500. */
const MOVES = 120;
const ORDERS = {
  version: 'svc-graph/v1',
  title: 'Orders',
  nodes: [
    { id: 'in-coming', type: 'trigger.webhook' },
    { id: 'condition', type: 'condition', config: { if: 'nodes["in-coming"].output.payload.body.total > 100' } },
    {
      id: 'http',
      type: 'http',
      config: { url: 'https://shop.example/orders', headers: { 'X-Total': { $expr: '1' } } },
    },
    { id: 'code', type: 'code', config: { script: 'console.log(1);' } },
  ],
  edges: [
    { from: 'in-coming', to: 'condition' },
    { from: 'condition', to: 'http', when: true },
    { from: 'condition', to: 'code', when: false },
  ],
};
const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

if (path === undefined) omit(t, 'the editor of graphs in a browser', 'chromium');
else
  t.test('graphs that are changed in the editor', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const base = `${place.url}/orgs/dev/projects/main/graphs`;
    const page = await place.signedIn();
    await page.setViewportSize({ width: 1400, height: 1000 });

    const source = JSON.stringify(ORDERS);
    for (let n = 0; n < 3; n++) {
      const version = source.replace('"Orders"', `"Orders ${n}"`);
      t.equal((await place.svc(['graph', 'save', 'orders', '-'], version)).exit, 0);
    }
    await page.goto(`${base}/orders/edit`);
    await page.getByText('✓ No problems').waitFor();

    await t.test('copies have ids of their own and their edges; what cannot be put in is said', async (t) => {
      await card(page, 'condition').click();
      await card(page, 'code').click({ modifiers: ['Control'] });
      await page.getByText('2 nodes are selected').waitFor();
      const context = page.context();
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.keyboard.press('Control+c');
      await page.keyboard.press('Control+v');
      await card(page, 'condition_2').waitFor();
      await page.keyboard.press('Control+d');
      await card(page, 'code_3').waitFor();
      await count(page, 8);
      await page.keyboard.press('Control+z');
      // What the copy reads does not run before it yet.
      await card(page, 'condition_2').getByText('1 problem').waitFor();
      await card(page, 'in-coming').click();
      await field(page, 'Connect to').selectOption('condition_2');
      await panel(page).getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByText('✓ No problems').waitFor();
      await page.keyboard.press('Control+s');
      await saved(page, 4);
      t.ok(ways(await stored(place, 'orders')).includes('condition_2>code_2 false'));
      await page.evaluate("navigator.clipboard.writeText('no graph')");
      await page.keyboard.press('Control+v');
      await page.getByText(/The clipboard content cannot be pasted/).waitFor();
    });

    await t.test('another version that was saved meanwhile is noticed', async (t) => {
      const other = JSON.stringify({
        version: 'svc-graph/v1',
        nodes: [{ id: 'a', type: 'set', config: { values: 1 } }],
      });
      t.equal((await place.svc(['graph', 'save', 'orders', '-'], other)).exit, 0);
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+x');
      await count(page, 0);
      await page.keyboard.press('Control+z');
      await panel(page).getByText('Graph', { exact: true }).waitFor();
      await field(page, 'Graph title').fill('Orders');
      await page.keyboard.press('Control+s');
      await page.getByText(/Version 5 of orders was saved by someone else/).waitFor();
      t.equal((await stored(place, 'orders')).nodes.length, 1);
      await page.getByRole('button', { name: 'Save mine as the newest version' }).click();
      await saved(page, 6);
      t.equal((await stored(place, 'orders')).nodes.length, 6);
    });

    await t.test('export and import, and names that would do harm', async (t) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export' }).click(),
      ]);
      t.equal(file.suggestedFilename(), 'orders.json');
      const document = JSON.parse(await text(await file.createReadStream()));
      t.same(document, await stored(place, 'orders'));
      document.nodes[0].title = HOSTILE;
      document.nodes[0].config = { [HOSTILE]: 1 };
      await page.getByRole('button', { name: 'Import or edit as text' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Document, as JSON').fill('{"nodes": 5}');
      await dialog.getByRole('button', { name: 'Use this document' }).click();
      await dialog.getByText(/This is not a graph document/).waitFor();
      await dialog.getByLabel('From a file').setInputFiles({
        name: 'g.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(document)),
      });
      await shows(page, "document.querySelector('[role=dialog] textarea').value.includes('img')");
      await dialog.getByRole('button', { name: 'Use this document' }).click();
      const hostile = card(page, document.nodes[0].id);
      await hostile.getByText(/onerror=.*\\u202e/).waitFor();
      await hostile.click();
      await panel(page)
        .getByText(/is not a known member/)
        .first()
        .waitFor();
      t.notMatch(await page.title(), 'owned');
      await page.keyboard.press('Control+z');
      await page.keyboard.press('Control+z');
    });

    await t.test('500 nodes are dragged without much work for a move', async (t) => {
      const nodes = Array.from({ length: 500 }, (_, n) => ({
        id: `n${n}`,
        type: 'set',
        config: { values: n },
        position: { x: (n % 25) * 260, y: Math.floor(n / 25) * 100 },
      }));
      const edges = nodes.slice(1).map(({ id }, n) => ({ from: `n${n}`, to: id }));
      const source = JSON.stringify({ version: 'svc-graph/v1', nodes, edges });
      t.equal((await place.svc(['graph', 'save', 'wide', '-'], source)).exit, 0);
      await page.goto(`${base}/wide/edit`);
      await page.getByText('✓ No problems').waitFor();
      await page.evaluate(`
        window.tasks = [];
        new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((task) => task.duration)))
          .observe({ entryTypes: ['longtask'] });
      `);
      // Processor time, not the time of the clock: other tests may run beside this one.
      const meter = await page.context().newCDPSession(page);
      await meter.send('Performance.enable', { timeDomain: 'threadTicks' });
      const busy = async () => {
        const { metrics } = await meter.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'ScriptDuration')!.value * 1000;
      };
      const from = (await card(page, 'n262').boundingBox())!;
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(from.x + 20, from.y + 20);
      const before = await busy();
      await page.mouse.move(from.x + 200, from.y + 120, { steps: MOVES });
      const each = ((await busy()) - before) / MOVES;
      await page.mouse.up();
      await page.getByText('Not saved yet').waitFor();
      await page.getByText('✓ No problems').waitFor();
      const tasks = await page.evaluate('window.tasks');
      t.comment(`${each.toFixed(1)} ms of script for a move; tasks over 50 ms by the clock: ${JSON.stringify(tasks)}`);
      t.ok(each <= 50, 'a move takes little of what a task may');
    });

    await t.test('narrow, in both themes, and for a viewer', async (t) => {
      await page.keyboard.press('Control+z');
      await page.goto(`${base}/orders/edit`);
      await card(page, 'http').waitFor();
      for (const scheme of ['light', 'dark'] as const) {
        // No colour is looked at on its way from one theme to the other.
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        t.same(await inaccessible(page), [], `nothing chosen, ${scheme}`);
        await card(page, 'http').click();
        await field(page, 'Url').waitFor();
        await page.getByRole('button', { name: 'Add a node' }).click();
        t.same(await inaccessible(page), [], `a node chosen, ${scheme}`);
        await page.getByRole('button', { name: 'Close' }).click();
        await chooseNothing(page);
      }
      await page.setViewportSize({ width: 390, height: 800 });
      await page.getByRole('button', { name: 'Fit' }).click();
      await card(page, 'http').waitFor();
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= 390'), 'nothing is wider than the page');
      const token = await place.svc(['token', 'create', 'looks', '--role', 'viewer', '--json']);
      const viewer = await place.signedIn(JSON.parse(token.stdout).token);
      await viewer.goto(`${base}/orders/edit`);
      await viewer.getByText('Your role can view this graph').waitFor();
      await card(viewer, 'http').waitFor();
      t.equal(await viewer.getByRole('button', { name: 'Save' }).count(), 0);
      await viewer.goto(`${base}/new`);
      await viewer.getByText('Your role can view graphs, but not create them.').waitFor();
    });

    t.same(place.faults, [], 'no page had a fault');
  });
