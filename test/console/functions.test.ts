import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { until } from '../../features/support/process.ts';
import { omit } from '../kit/needs.ts';
import { Console, inaccessible, PAGE_WAIT_MS } from './browser.ts';

const path = chromiumPath();

t.setTimeout(600_000);

const FLOWS = `import { step, waitSignal, workflow } from 'svc/sdk';
const input = {
  type: 'object',
  required: ['sku', 'price'],
  properties: {
    sku: { type: 'string', description: 'Number of the article' },
    price: { type: 'number', minimum: 0 },
    delivery: { enum: ['post', 'courier'], default: 'post' },
    gift: { type: 'boolean' },
    lines: { type: 'array', items: { type: 'string' } },
    to: { type: 'object', properties: { city: { type: 'string' } } },
  },
};
workflow('order', { input, timeout: '40d', concurrency: 7 }, async (given) => step('echo', () => given));
workflow('refund', { versions: 'pinned', version: process.env.VERSION ?? '2' }, async () => waitSignal('paid'));
workflow('plain', async (given) => ({ given }));
`;

const DEPLOY = `inputs:
  service: string
  replicas: { type: integer, default: 2, maximum: 5 }
  env: test|live = test
outputs: { all: "\${{ inputs }}" }
jobs:
  go: { steps: [{ run: "true" }] }
`;

const GREET = {
  version: 'svc-graph/v1',
  inputs: { name: 'string', times: 'integer = 2' },
  nodes: [{ id: 'greet', type: 'set', config: { values: { text: { $expr: 'inputs.name + string(inputs.times)' } } } }],
};

async function accessible(t: Test, place: Console, addresses: readonly [string, string][]): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await place.signedIn(place.token, await place.newBrowser({ colorScheme }));
    for (const [address, wanted] of addresses) {
      await page.goto(address);
      await page.getByText(wanted).first().waitFor();
      t.same(await inaccessible(page), [], `${colorScheme}: ${new URL(address).pathname}`);
    }
    await page.context().close();
  }
}

/** Tab until something with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let n = 0; n < 80; n++) {
    await page.keyboard.press('Tab');
    const text = (await page.evaluate(
      '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.labels?.[0]?.innerText ?? document.activeElement?.innerText ?? "").trim()',
    )) as string;
    if (name.test(text)) return;
  }
  throw new Error(`no key leads to ${name}`);
}

if (path === undefined) omit(t, 'functions in a browser', 'chromium');
else
  t.test('functions', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const base = `${place.url}/orgs/dev/projects/main`;
    const page = await place.signedIn();
    const run = async (...args: string[]) => (await place.svc(['submit', '--function', ...args])).stdout.trim();
    const reaches = (run_id: string, status: string) =>
      until(`${run_id} to be ${status}`, PAGE_WAIT_MS, async () =>
        (await place.svc(['status', run_id])).stdout.includes(status) ? true : undefined,
      );

    await t.test('without a worker, the page says how to begin', async () => {
      await page.getByRole('link', { name: 'Functions', exact: true }).click();
      await page.getByText('No functions yet').waitFor();
      await page.getByText('svc worker orders.ts').waitFor();
    });

    await writeFile(join(place.folder, 'flows.mjs'), FLOWS);
    const old = await place.serve('flows.mjs', { VERSION: '1' });
    const waits = await run('refund');
    await reaches(waits, 'waiting');
    await old.kill('SIGTERM');
    await place.svc(['signal', waits, 'paid']);
    await place.serve('flows.mjs');

    await t.test('the list says who serves a function, and what waits', async (t) => {
      const rows = page.getByRole('table', { name: 'Functions' });
      await rows.getByText('1 run waits').waitFor();
      await rows.getByText('and 1 older').waitFor();
      const refund = await rows.getByRole('row', { name: /refund/ }).innerText();
      t.match(refund, /1 run waits.*2.*and 1 older/s, 'though a worker serves another version');
      t.match(await rows.getByRole('row', { name: /order/ }).innerText(), /None/);
      await page.getByLabel('Search functions').fill('ref');
      await rows.getByRole('link', { name: 'order', exact: true }).waitFor({ state: 'detached' });
      t.match(page.url(), /find=ref/);
    });

    await t.test('the page of a function shows what waits for a version that nobody serves', async (t) => {
      await page.getByRole('table', { name: 'Functions' }).getByRole('link', { name: 'refund', exact: true }).click();
      await page.getByRole('heading', { name: /refund/, level: 1 }).waitFor();
      await page.getByRole('heading', { name: 'Waiting for a worker' }).waitFor();
      const text = await page.locator('main').innerText();
      t.match(text, /1 run waits for 1/);
      t.match(text, new RegExp(waits));
      t.match(text, /Pinned: an open run continues only/);
      await page.goto(`${base}/functions/order`);
      const fields = page.locator('.inputs > li');
      await fields.first().waitFor();
      t.match(await fields.allInnerTexts(), [
        /^sku\s+text\s+required\s+Number of the article$/,
        /^price\s+number, at least 0\s+required$/,
        /^delivery\s+post or courier\s+default\s+post$/,
        /^gift\s+true or false$/,
        /^lines\s+list of text$/,
        /^to\s+object$/,
      ]);
      await page.getByText('JSON Schema', { exact: true }).click();
      await page.getByText('"minimum"').waitFor();
      t.match(await page.locator('main').innerText(), /Timeout\s+40d.*7 per worker/s);
    });

    await t.test('the keyboard alone runs it, with the fields of its input', async (t) => {
      await tabTo(page, /^New run$/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'New run' }).waitFor();
      await page.getByLabel('Sku').waitFor();
      t.equal(await page.getByLabel('Delivery').inputValue(), 'post', 'the default of the schema');
      await tabTo(page, /^Sku/);
      await page.keyboard.type('lamp');
      await page.keyboard.press('Enter');
      await page.getByText('Price is required.').waitFor();
      t.equal(await page.evaluate('document.activeElement?.ariaLabel'), 'Price', 'the first field that lacks a value');
      await page.getByLabel('Price').fill('30');
      await page.getByLabel(/^Gift/).check();
      await page.getByLabel(/^Lines/).fill('["a"');
      await page.getByText('This is not JSON.').waitFor();
      await page.getByLabel(/^Lines/).fill('["a"]');
      await page.getByRole('group', { name: /^To/ }).getByLabel(/^City/).fill('Bern');
      const given = { delivery: 'post', sku: 'lamp', price: 30, gift: true, lines: ['a'], to: { city: 'Bern' } };
      await page.getByText(`--input '${JSON.stringify(given)}'`).waitFor();
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('heading', { name: /order/, level: 1 }).waitFor();
      const [run_id = ''] = /run_\w+/.exec(page.url()) ?? [];
      await reaches(run_id, 'succeeded');
      const { stdout } = await place.svc(['status', run_id, '--json']);
      t.same((JSON.parse(stdout) as { output: unknown }).output, given);
      await page.locator('header').getByRole('link', { name: 'order' }).click();
      await page.getByRole('heading', { name: 'Versions' }).waitFor();
      t.match(page.url(), /\/functions\/order$/, 'the head of a run leads to its function');
      await page.locator(`a[href$="${run_id}"]`).first().waitFor();
    });

    await t.test('a pipeline and a stored graph have the fields of the inputs that they declare', async (t) => {
      await page.goto(`${base}/new-run?what=pipeline`);
      const [name, mimeType] = ['deploy.yaml', 'text/yaml'];
      await page.getByLabel('Workflow file').setInputFiles({ name, mimeType, buffer: Buffer.from(DEPLOY) });
      await page.getByLabel('Service').waitFor();
      t.equal(await page.getByLabel('Replicas').inputValue(), '2', 'the default');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('Service is required.').waitFor();
      await page.getByLabel('Service').fill('shop');
      await page.getByLabel('Replicas').fill('9');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('must be <= 5').first().waitFor();
      await page.getByLabel('Replicas').fill('3');
      await page.getByLabel('Env').selectOption('live');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      const outputOf = async () => {
        await page.waitForURL(/\/runs\/run_/);
        const [run_id = ''] = /run_\w+/.exec(page.url()) ?? [];
        await reaches(run_id, 'succeeded');
        const { stdout } = await place.svc(['status', run_id, '--json']);
        return (JSON.parse(stdout) as { output: unknown }).output;
      };
      t.same(await outputOf(), { all: { replicas: 3, env: 'live', service: 'shop' } });
      await writeFile(join(place.folder, 'greet.json'), JSON.stringify(GREET));
      await place.svc(['graph', 'save', 'greet', 'greet.json']);
      await page.goto(`${base}/graphs/greet`);
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByLabel('Name').fill('Ana');
      t.same(await inaccessible(page), []);
      await page.getByRole('button', { name: 'Run graph' }).click();
      t.same(await outputOf(), { text: 'Ana2' });
    });

    await t.test('the palette finds functions, and runs them', async (t) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByPlaceholder(/Page, workflow/).fill('refund');
      t.equal(await page.getByRole('option', { name: /^refund$/ }).count(), 1, 'once, whatever its versions');
      await page.getByPlaceholder(/Page, workflow/).fill('plain');
      await page.getByRole('option', { name: 'Run plain…' }).click();
      await page.getByLabel('Input, as JSON').fill('{"a": 1}');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('heading', { name: /plain/, level: 1 }).waitFor();
      const [run_id = ''] = /run_\w+/.exec(page.url()) ?? [];
      await reaches(run_id, 'succeeded');
    });

    await t.test('a function in use is not removed, and says so', async () => {
      await page.goto(`${base}/functions/plain`);
      await page.getByRole('button', { name: 'Actions for plain' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Remove function' }).click();
      await dialog.getByText(/the worker .* serves the workflow "plain"/).waitFor();
    });

    await t.test('on a phone, rows are cards', async (t) => {
      const phone = await place.signedIn(
        place.token,
        await place.newBrowser({ viewport: { width: 390, height: 844 }, hasTouch: true }),
      );
      await phone.goto(`${base}/functions`);
      const cards = phone.getByRole('list', { name: 'Functions' });
      await cards.getByText('1 run waits').waitFor();
      for (const address of [
        '/functions',
        '/functions/refund',
        '/functions/order',
        '/new-run?what=function&function=order',
      ]) {
        await phone.goto(`${base}${address}`);
        await phone.getByRole('heading', { level: 1 }).waitFor();
        await phone.getByText('Loading…').waitFor({ state: 'detached' });
        t.equal(
          await phone.evaluate('document.documentElement.scrollWidth'),
          390,
          `${address} is not wider than a phone`,
        );
      }
      await phone.context().close();
    });

    await t.test('it is accessible in both themes', async (t) => {
      await accessible(t, place, [
        [`${base}/functions`, '1 run waits'],
        [`${base}/functions/refund`, 'Waiting for a worker'],
        [`${base}/functions/order`, 'Concurrency'],
        [`${base}/new-run?what=function&function=order`, 'Sku'],
      ]);
    });
    t.same(place.faults, [], 'no error in any page');
  });
