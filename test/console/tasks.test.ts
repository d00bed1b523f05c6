import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { FarEnd, send } from '../../features/support/far-end.ts';
import { freePort } from '../../features/support/free-port.ts';
import { until } from '../../features/support/process.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { omit } from '../kit/needs.ts';
import { Console, inaccessible } from './browser.ts';
import { card, field, panel } from './drawing.ts';
import { Hands } from './hands.ts';

const HERE = '/orgs/dev/projects/main';
const IMPORT = `svc step fetch -- echo 200 rows
svc step import -- sh -c 'echo "row 17: no price" >&2; exit 3'
`;
const ASKS = `echo 'Ship release 2.13?' | svc annotate -
svc wait-signal approved
`;

const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(900_000);

/** What is there before: runs that failed, wait and are about an order, and a handler that has reacted to an event. */
async function prepare(place: Console): Promise<void> {
  const svc = async (args: readonly string[], stdin?: string) => {
    const { exit, stderr } = await place.svc(args, stdin);
    if (exit > 1) throw new Error(`svc ${args.join(' ')}: ${stderr}`);
  };
  await writeFile(join(place.folder, 'import.sh'), IMPORT);
  await writeFile(join(place.folder, 'tell.sh'), 'svc step tell -- echo told the team\n');
  await svc(['handler', 'set', 'tell', 'tell.sh', '--on', 'deploy.done']);
  await svc(['submit', 'import.sh', '--follow', '--subject', 'order:20931']);
  await svc(['submit', 'tell.sh', '--follow', '--subject', 'order:20931']);
  await svc(['submit', 'tell.sh', '--follow', '--subject', 'order:7']);
  for (let n = 0; n < 2; n++) await svc(['submit', '-'], ASKS);
  await svc(['emit', 'deploy.done', '--key', 'acme/web', '--payload', '{"version":"1.4.0"}']);
  await until('the runs to wait and the handler to react', 60_000, async () => {
    const { stdout } = await place.svc(['runs', 'ls', '--json']);
    const count = (words: RegExp) => stdout.match(words)?.length ?? 0;
    return count(/"status": ?"waiting"/g) >= 2 && count(/"handler": ?"tell"/g) >= 1 ? true : undefined;
  });
}

interface Place {
  t: Test;
  page: Page;
  hands: Hands;
}

if (path === undefined) omit(t, 'seven tasks in a browser', 'chromium');
else
  t.test('seven tasks, by somebody who has not seen the console', { timeout: 1_200_000 }, async (t) => {
    const port = await freePort();
    const far = new OidcServer();
    await far.listen({ redirect_uri: `http://127.0.0.1:${port}/connections/callback` });
    t.teardown(() => far.close());
    const shop = await FarEnd.open((_request, response) => {
      send(response, 200, { 'content-type': 'application/json' }, '{"reserved":true}');
    });
    t.teardown(() => shop.close());
    const env = { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify([far.settings('far')]) };
    const place = await Console.open(t, path, { port, env });
    await prepare(place);
    const page = await place.signedIn();
    await page.setViewportSize({ width: 1440, height: 900 });

    const menu = page.getByRole('navigation', { name: 'Pages of the project' });
    const dialog = page.getByRole('dialog');
    const failed = page.getByRole('region', { name: 'Failed' });
    const approved = page.getByRole('status').getByText('Run approved');

    /** From Overview, with so many clicks and texts at most. */
    const task = (name: string, most: number, work: (place: Place) => Promise<void>) =>
      t.test(name, { timeout: 300_000 }, async (t) => {
        await page.goto(`${place.url}${HERE}`);
        await page.getByRole('heading', { name: 'Failures by error' }).waitFor();
        await page.getByRole('link', { name: 'row 17: no price' }).waitFor();
        const hands = new Hands(page);
        const since = Date.now();
        await work({ t, page, hands });
        t.comment(`${name}: ${hands.count} of ${most}, ${((Date.now() - since) / 1000).toFixed(1)} s`);
        t.ok(hands.count <= most, `${hands.count} clicks, keys and texts; at most ${most}`);
      });

    await task('why did it fail, by mouse', 2, async ({ hands }) => {
      await hands.click(page.getByRole('link', { name: 'row 17: no price' }));
      await failed.getByRole('heading', { name: 'row 17: no price' }).waitFor();
      await page.getByText('step import').first().waitFor();
      await hands.click(page.getByRole('link', { name: 'Source' }));
      await page.getByText('failed at line 2').waitFor();
    });

    await task('why did it fail, by keyboard', 6, async ({ hands }) => {
      await hands.press('j', 'j', 'j');
      await hands.tabTo(/^row 17: no price$/);
      await hands.press('Enter');
      await failed.getByRole('heading', { name: 'row 17: no price' }).waitFor();
    });

    await task('approve, by mouse', 1, async ({ hands }) => {
      await hands.click(page.getByRole('button', { name: 'Approve' }).first());
      await approved.waitFor();
    });

    await task('approve, by keyboard', 2, async ({ hands }) => {
      await page.getByRole('link', { name: 'Ship release 2.13?' }).first().waitFor();
      await hands.press('j', 'a');
      await approved.waitFor();
    });

    await task('rerun from a step, by mouse', 3, async ({ hands }) => {
      await hands.click(page.getByRole('link', { name: 'row 17: no price' }));
      await hands.click(failed.getByRole('button', { name: 'Rerun from import' }));
      await hands.click(dialog.getByRole('button', { name: 'Rerun', exact: true }));
      await page.getByText('Rerun of', { exact: true }).waitFor();
      await page.getByRole('button', { name: /^group 1 step reused/ }).waitFor();
    });

    await task('rerun from a step, by keyboard', 20, async ({ hands }) => {
      await hands.find('import', /^Failed import\.sh/);
      await failed.getByRole('button', { name: 'Rerun from import' }).waitFor();
      await hands.tabTo(/^Rerun from import$/, 'Shift+Tab');
      await hands.press('Enter');
      await dialog.waitFor();
      await hands.tabTo(/^Rerun$/);
      await hands.press('Enter');
      await page.getByText('Rerun of', { exact: true }).waitFor();
    });

    await task('build webhook → condition → request → script from a template, by mouse', 5, async ({ t, hands }) => {
      await hands.click(menu.getByRole('link', { name: 'Graphs', exact: true }));
      await hands.click(page.getByRole('link', { name: 'New graph' }).first());
      await page.getByRole('region', { name: 'Start the graph' }).waitFor();
      t.same(await inaccessible(page), [], 'an empty canvas');
      await hands.click(page.getByRole('button', { name: /^Handle an order/ }));
      await page.getByText(/^✓ No problems/).waitFor();
      t.equal(await page.locator('.react-flow__node').count(), 4);
      await hands.fill(page.locator('#graph-name'), 'orders');
      await hands.click(page.getByRole('button', { name: 'Save' }));
      await page.getByRole('heading', { name: 'Edit orders' }).waitFor();
    });

    await task('the same node by node with a sample payload, by mouse', 21, async ({ t, hands }) => {
      const after = (name: string) => page.getByRole('button', { name: `Add a step after ${name}` });
      const choose = (name: RegExp) => page.getByRole('option', { name });
      await hands.click(menu.getByRole('link', { name: 'Graphs', exact: true }));
      await hands.click(page.getByRole('link', { name: 'New graph' }).first());
      await hands.click(page.getByRole('button', { name: /^Webhook/ }));
      await hands.click(page.getByRole('button', { name: 'Open with its data' }));
      await hands.click(page.getByRole('button', { name: 'Write a sample' }));
      const sample = JSON.stringify({ payload: { body: { id: 20931, total: 124.5 } } });
      await hands.fill(dialog.getByLabel('Sample, as JSON'), sample);
      await hands.click(dialog.getByRole('button', { name: 'Pin sample' }));
      await hands.press('Escape');
      await hands.click(after('Webhook'));
      await hands.click(choose(/^Condition/));
      await hands.fill(field(page, 'If'), 'nodes.webhook.output.payload.body.total > 100');
      await hands.click(after('Condition'));
      await hands.click(choose(/^HTTP request/));
      await hands.fill(field(page, 'Url'), shop.url('/reserve'));
      await hands.click(after('HTTP request'));
      await hands.click(choose(/^Shell/));
      await hands.fill(field(page, 'Script'), 'echo packed');
      await page.getByText(/^✓ No problems/).waitFor();
      await hands.click(page.getByRole('button', { name: 'Run draft' }));
      await hands.click(dialog.getByRole('button', { name: 'Run graph' }));
      await card(page, 'shell').getByText('✓ succeeded').waitFor();
      t.equal(shop.seen.length, 1);
      await hands.fill(page.locator('#graph-name'), 'orders-by-hand');
      await hands.click(page.getByRole('button', { name: 'Save' }));
      await page.getByRole('heading', { name: 'Edit orders-by-hand' }).waitFor();
    });

    await task('the same node by node, by keyboard', 60, async ({ hands }) => {
      const add = async (words: string) => {
        await hands.press('a');
        await page.getByRole('combobox', { name: 'Node type' }).waitFor();
        await hands.type(words);
        await page.locator('#node-types [role=option][aria-selected=true]').waitFor();
        await hands.press('Enter');
      };
      await hands.find('new graph', 'New graph');
      await page.getByRole('heading', { name: 'New graph' }).waitFor();
      await add('webhook');
      await add('condition');
      await hands.tabTo(/^If$/);
      await hands.type('nodes.webhook.output.payload.body.total > 100');
      await hands.press('Escape', 'Tab');
      await add('http request');
      await hands.tabTo(/^Url$/);
      await hands.type(shop.url('/reserve'));
      await hands.press('Tab');
      await add('shell');
      await page.locator('.script-field .cm-content').waitFor();
      await hands.tabTo(/^Script$/);
      await hands.type('echo packed');
      await page.getByText(/^✓ No problems/).waitFor();
      await hands.press('Control+s');
      await hands.type('orders-by-keys');
      await hands.press('Control+s');
      await page.getByRole('heading', { name: 'Edit orders-by-keys' }).waitFor();
    });

    /** At the provider, which knows the person from the second time on. */
    const agree = async () => {
      await page.waitForURL(({ origin }) => origin === new URL(far.url).origin);
      if ((await page.locator('input[name=login]').count()) > 0) {
        await page.locator('input[name=login]').fill('ana');
        await page.locator('input[name=password]').fill('any');
        await page.locator('button[type=submit]').click();
      }
      await page.getByText('Continue').click();
      await page.getByRole('heading', { name: 'The account is connected' }).waitFor();
    };

    await task('connect an account and use it, by mouse', 8, async ({ t, hands }) => {
      const before = shop.seen.length;
      await hands.click(menu.getByRole('link', { name: 'Connections' }));
      await hands.click(page.getByRole('button', { name: /^Connect / }));
      await hands.click(page.getByRole('button', { name: /^Continue to/ }));
      await agree();
      await hands.click(page.getByRole('link', { name: /Connections/ }));
      await hands.click(page.getByRole('row', { name: /far/ }).getByRole('link', { name: 'Use in a graph' }));
      await panel(page).getByRole('heading', { name: 'HTTP request' }).waitFor();
      t.equal(await field(page, 'Credential').inputValue(), 'far');
      await hands.fill(field(page, 'Url'), shop.url('/account'));
      await page.getByText(/^✓ No problems/).waitFor();
      await hands.click(page.getByRole('button', { name: 'Run draft' }));
      await hands.click(dialog.getByRole('button', { name: 'Run graph' }));
      await card(page, 'http').getByText('✓ succeeded').waitFor();
      t.match(shop.seen[before]!.headers.authorization, /^Bearer /);
    });

    await task('connect an account, by keyboard', 40, async ({ hands }) => {
      await hands.go('c');
      await page.getByRole('button', { name: /^Connect / }).waitFor();
      await hands.tabTo(/^Connect /);
      await hands.press('Enter');
      await dialog.waitFor();
      await hands.type('mail');
      await hands.press('Enter');
      await agree();
      await hands.tabTo(/^Back to the Connections page$/);
      await hands.press('Enter');
      await page.getByRole('row', { name: /mail/ }).getByText('Healthy').waitFor();
    });

    await task('find all runs for one order, by mouse', 3, async ({ t, hands }) => {
      await hands.click(page.getByRole('button', { name: /Search or run/ }));
      await hands.fill(page.getByRole('combobox', { name: 'Search or run' }), '20931');
      await hands.click(page.getByRole('option', { name: 'All runs about order:20931' }));
      await page.getByRole('row', { name: /tell\.sh/ }).waitFor();
      t.match(page.url(), /subject=order/);
      t.ok((await page.getByRole('row').count()) >= 3, 'a head and at least two runs');
    });

    await task('find all runs for one order, by keyboard', 5, async ({ hands }) => {
      await hands.find('20931', 'All runs about order:20931');
      await page.getByRole('row', { name: /tell\.sh/ }).waitFor();
    });

    await task('follow an event to what it caused, by mouse', 3, async ({ hands }) => {
      await hands.click(menu.getByRole('link', { name: 'Events' }));
      await hands.click(page.getByRole('link', { name: 'deploy.done' }));
      await hands.click(page.getByRole('list', { name: 'Effects' }).getByRole('link', { name: /^Run \w{6}$/ }));
      await page.getByRole('heading', { name: 'tell.sh', level: 1 }).waitFor();
    });

    await task('follow an event to what it caused, by keyboard', 12, async ({ hands }) => {
      await hands.go('e');
      await page.getByRole('link', { name: 'deploy.done' }).waitFor();
      await hands.press('j', 'Enter');
      await page.getByRole('list', { name: 'Effects' }).waitFor();
      await hands.tabTo(/^Run \w{6}$/);
      await hands.press('Enter');
      await page.getByRole('heading', { name: 'tell.sh', level: 1 }).waitFor();
    });

    t.same(place.faults, [], 'no error in the pages, and nothing that the security policy refused');
  });
