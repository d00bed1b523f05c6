import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { until } from '../../features/support/process.ts';
import { Console, inaccessible, PAGE_WAIT_MS } from './browser.ts';
import { omit } from '../kit/needs.ts';

const HOSTILE = '<img src=x onerror="document.title=`owned`">';
const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

/** A script that waits, prints colours and hostile text, notes something and answers. */
const SCRIPT = `
svc step say -- printf '%s' '${HOSTILE}'
printf '\\033[31mred\\033[0m \\033]0;title\\007%s\\n' '${HOSTILE}'
echo '# Done **well** ${HOSTILE} [x](javascript:alert(1))' | svc annotate -
answer=$(svc wait-signal approve)
svc step after -- echo "got $answer"
`;

/** Presses Tab until this has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<boolean> {
  const focused = wanted.and(page.locator(':focus'));
  for (let presses = 0; presses < 80; presses++) {
    if ((await focused.count()) === 1) return true;
    await page.keyboard.press('Tab');
  }
  return false;
}

if (path === undefined) omit(t, 'the console in a browser', 'chromium');
else {
  t.test('a run is watched, answered, read and run again in a browser', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const page = await place.newPage();
    await page.goto(place.url);
    await page.getByLabel('Access token').fill('svc_pat_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Access token').fill(place.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    t.same(await page.evaluate('[sessionStorage.length, document.cookie]'), [0, ''], 'no script can read who it is');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('Nothing has run here yet').waitFor();

    const submitted = await place.svc(['submit', '-', '--json'], SCRIPT);
    t.equal(submitted.exit, 0, submitted.stderr);
    const { run_id } = JSON.parse(submitted.stdout) as { run_id: string };
    const row = page.getByRole('row', { name: new RegExp(run_id.slice(-6)) });
    await row.getByRole('img', { name: 'Waiting' }).waitFor();
    t.equal(await row.getByText('Needs approval').count(), 1, 'the page was not loaded again');

    await row.getByRole('link').first().click();
    const wait = page.getByRole('region', { name: 'Waiting for approval' });
    await wait.getByRole('heading', { name: /Done well/ }).waitFor();
    await wait.getByText(`svc signal ${run_id} approve`).waitFor();
    await page.getByRole('button', { name: /^step say/ }).click();
    await page.getByRole('region', { name: 'Step say' }).getByText(HOSTILE).first().waitFor();
    const tabs = page.getByRole('navigation', { name: 'About the run' });
    await tabs.getByRole('link', { name: 'Log' }).click();
    t.equal(await page.locator('.log .fg-1').textContent(), 'red');
    await page.getByRole('link', { name: 'Line 1', exact: true }).click();
    await page.waitForURL(/\?tab=log&line=1$/);
    await page.locator('.line.at').waitFor();
    await page.getByLabel('Search the log').fill('nothing like it');
    await page.getByText(/^0 of 1 line/).waitFor();
    await tabs.getByRole('link', { name: 'Source' }).click();
    t.equal(await page.locator('.source mark').textContent(), 'answer=$(svc wait-signal approve)');
    await page.locator('.source .hl-string').first().waitFor();
    t.equal(await page.locator('.source mark').textContent(), 'answer=$(svc wait-signal approve)');
    await tabs.getByRole('link', { name: 'Steps' }).click();
    await wait.getByRole('button', { name: 'Advanced' }).click();
    await page.getByLabel('Payload, as JSON').fill('{not json');
    await page.getByRole('button', { name: 'Send signal' }).click();
    await page.getByText(/This is not JSON/).waitFor();
    await page.getByLabel('Payload, as JSON').fill('"yes"');
    await page.getByRole('button', { name: 'Send signal' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('Succeeded').waitFor();
    await page.getByRole('button', { name: /^step after/ }).click();
    await page.getByText('got "yes"').first().waitFor();

    await page.getByRole('button', { name: 'Rerun from here' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rerun' }).click();
    await page.getByText('Rerun of', { exact: true }).waitFor();
    await page.getByRole('button', { name: /steps? reused 0 ms$/ }).waitFor();
    await page.getByRole('heading', { level: 1 }).getByText('succeeded').waitFor();
    t.not(page.url().includes(run_id), true, 'it is another run');
    t.not(await page.title(), 'owned', 'what a script prints is text');
    t.equal(await page.locator('img').count(), 0);
    t.equal(await page.locator('a[href^="javascript"]').count(), 0);
    t.same(place.faults, [], 'no error, and nothing that the content security policy refused');
  });

  t.test('runs are filtered by address, and cancelled together', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    for (const name of ['a', 'b'])
      t.equal((await place.svc(['submit', '-', '--tag', name], 'svc wait-signal never\n')).exit, 0);
    t.equal((await place.svc(['submit', '-', '--follow'], 'exit 3\n')).exit, 1);
    const page = await place.signedIn();
    await page.getByRole('heading', { name: 'Failures by error' }).waitFor();
    // By key: panels that arrive later move the link, and a click whose button goes up elsewhere is none.
    await page.getByRole('link', { name: /^2 waiting/ }).press('Enter');
    await page
      .getByRole('row', { name: /Needs a signal · never/ })
      .nth(1)
      .waitFor();
    t.match(page.url(), /\/runs\?status=waiting$/);
    await page.goto(`${page.url()}&tag=a`);
    await page.getByRole('row', { name: /Needs a signal · never/ }).waitFor();
    await page.getByText('CLI', { exact: true }).click();
    await page.getByText('svc runs ls --status waiting --tag a').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('row', { name: /Failed/ }).waitFor();
    for (const box of await page.getByRole('checkbox').all()) await box.check();
    await page.getByRole('button', { name: 'Cancel 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel runs' }).click();
    await page.getByText('2 cancelled').waitFor();
    await page
      .getByRole('row', { name: /Cancelled/ })
      .nth(1)
      .waitFor();
    t.same(place.faults, []);
  });

  t.test('every page is accessible in both themes and on a narrow screen', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const submitted = await place.svc(['submit', '-', '--json', '--tag', 'x'], SCRIPT);
    const { run_id } = JSON.parse(submitted.stdout) as { run_id: string };
    const base = `${place.url}/orgs/dev/projects/main`;
    const pages: [string, RegExp][] = [
      [base, /Needs attention/],
      [`${base}/runs`, /Needs approval/],
      [`${base}/runs/${run_id}`, /Done well/],
      [`${base}/runs/${run_id}?tab=log`, /1 line/],
      [`${base}/runs/${run_id}?tab=input`, /Full envelope/],
      [`${base}/runs/${run_id}?tab=source`, /waiting at line/],
      [`${base}/runs/${run_id}?tab=cli`, /svc explain/],
      [`${base}/new-run`, /default world/],
      [`${base}/components`, /Text on a background/],
      [`${base}/connections`, /has no provider/],
    ];
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await place.newBrowser({ colorScheme, viewport: { width: 390, height: 800 } });
      const page = await place.signedIn(place.token, context);
      for (const [address, shows] of pages) {
        await page.goto(address);
        await page.getByText(shows).first().waitFor();
        t.same(await inaccessible(page), [], `${colorScheme} ${address.replace(place.url, '')}`);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        t.ok(Number(overflow) <= 0, `${address} is not wider than the screen`);
      }
    }
    t.same(place.faults, []);
  });

  t.test(
    'a one-time link signs in, once; signing out everywhere ends every page',
    { timeout: 1_200_000 },
    async (t) => {
      const place = await Console.open(t, path);
      const link = (await place.svc(['console', '--print'])).stdout.trim();
      t.match(link, /\/sign-in#[\w-]{20,}$/);
      const page = await place.newPage();
      await page.goto(link);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      t.notOk(page.url().includes('#'), 'the code stands in no history');
      const open = await place.newPage();
      await open.goto(`${place.url}/sign-in`);
      await open.getByLabel('Access token').waitFor();
      await open.goto(link);
      await open.getByRole('alert').waitFor();
      t.notOk(open.url().includes('#'), 'a page that is open already takes the code too, and says that it was used');
      await open.goto((await place.svc(['console', '--print'])).stdout.trim());
      await open.getByRole('heading', { name: 'Overview' }).waitFor();
      t.notOk(open.url().includes('#'));
      await open.close();
      const late = await place.newPage();
      await late.goto(link);
      await late.getByRole('alert').waitFor();
      await late.getByLabel('Access token').fill(place.token);
      await late.keyboard.press('Enter');
      await late.getByRole('heading', { name: 'Overview' }).waitFor();
      await late.getByRole('link', { name: 'Runs', exact: true }).click();
      await page.getByRole('button', { name: 'dev', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
      await page.getByLabel('Access token').waitFor();
      // It may have noticed by itself already.
      await late.getByRole('link', { name: 'Overview' }).or(late.getByLabel('Access token')).first().click();
      await late.getByLabel('Access token').waitFor();
      t.match(late.url(), /\/sign-in\?back=/, 'it comes back to where it was');
      const back = new URL(late.url()).searchParams.get('back')!;
      await late.getByLabel('Access token').fill(place.token);
      await late.keyboard.press('Enter');
      await late.getByRole('heading', { name: back.endsWith('/runs') ? 'Runs' : 'Overview', level: 1 }).waitFor();
      // It learns of the other session by the answer to its write: a poll that is refused meanwhile would tell it earlier.
      const { promise: refused, resolve: goOn } = Promise.withResolvers<void>();
      await late.route(
        ({ pathname }) => pathname === '/api/v1/session',
        async (route) => {
          if (route.request().method() === 'GET') await refused;
          await route.continue();
        },
      );
      const second = await place.newPage(late.context());
      await second.goto(`${place.url}/sign-in`);
      await second.getByLabel('Access token').fill(place.token);
      await second.keyboard.press('Enter');
      await second.getByRole('heading', { name: 'Overview' }).waitFor();
      await late.bringToFront();
      await late.getByRole('button', { name: 'dev', exact: true }).click();
      await late.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
      await late
        .getByText(/does not surely come from the console|X-SVC-CSRF/)
        .first()
        .waitFor();
      t.equal(await late.getByLabel('Access token').count(), 0, 'nothing ended, and nothing looks ended');
      const again = late.waitForResponse(
        (one) => one.url().endsWith('/api/v1/session') && one.request().method() === 'GET',
      );
      goOn();
      await (await again).finished();
      await late.getByRole('button', { name: 'dev', exact: true }).click();
      await late.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
      await late.getByLabel('Access token').waitFor();
      await second.close();
      t.same(place.faults, []);
    },
  );

  t.test('a style sheet whose first request fails is requested again', async (t) => {
    const place = await Console.open(t, path);
    const page = await place.newPage();
    let failed = '';
    await page.route(
      '**/console/assets/overview-*.css',
      (route) => {
        failed = route.request().url();
        return route.abort('connectionreset');
      },
      { times: 1 },
    );
    await page.goto(place.url);
    await page.getByLabel('Access token').fill(place.token);
    const again = page.waitForResponse((response) => response.url() === failed && response.ok());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await again;
    t.same(place.faults, []);
  });

  t.test('a server that goes away and comes back under an open page', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const page = await place.signedIn();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('Nothing has run here yet').waitFor();
    await place.restart('SIGKILL');
    const submitted = await place.svc(['submit', '-', '--json'], 'true\n');
    t.equal(submitted.exit, 0, submitted.stderr);
    await page.getByRole('row', { name: /Succeeded/ }).waitFor();
    t.same(
      place.faults.filter((fault) => !/ERR_CONNECTION|Failed to fetch/.test(fault)),
      [],
    );
  });

  t.test('by keyboard alone: sign in, find a run, open a step, go back', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const submitted = await place.svc(['submit', '-', '--json', '--follow'], 'svc step one -- echo first\n');
    t.equal(submitted.exit, 0, submitted.stderr);
    const page = await place.newPage();
    await page.goto(place.url);
    await page.getByLabel('Access token').waitFor();
    await page.keyboard.insertText(place.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('runs');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    const link = page
      .getByRole('row', { name: /Succeeded/ })
      .getByRole('link')
      .first();
    await link.waitFor();
    t.ok(await tabTo(page, link));
    await page.keyboard.press('Enter');
    const step = page.getByRole('button', { name: /^step one/ });
    await step.waitFor();
    t.ok(await tabTo(page, step));
    await page.keyboard.press('Enter');
    await page.getByText('Rerun from here').waitFor();
    t.equal(await page.getByRole('region', { name: 'Step one' }).locator('pre').textContent(), 'first\n');
    await page.goBack();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    t.same(place.faults, []);
  });

  t.test(
    'what needs a person is answered where it is read; shortcuts and the palette',
    { timeout: 1_200_000 },
    async (t) => {
      const place = await Console.open(t, path);
      const asks = "echo 'Ship it?' | svc annotate -\nsvc wait-signal approved\n";
      const submit = async (name: string) => {
        const { stdout } = await place.svc(['submit', '-', '--json', '--tag', name], asks);
        return (JSON.parse(stdout) as { run_id: string }).run_id;
      };
      const [first, second] = [await submit('a'), await submit('b')];
      const graph = { version: 'svc-graph/v1', nodes: [{ id: 'a', type: 'trigger.manual' }] };
      t.equal((await place.svc(['graph', 'save', 'orders', '-'], JSON.stringify(graph))).exit, 0);
      const hook = ['event-hook', 'set', 'orders-in', '--event-type', 'order.paid'];
      t.match(await place.svc(hook), { exit: 0 });
      const page = await place.signedIn();
      const items = page.getByRole('listitem').filter({ hasText: 'Ship it?' });
      await items
        .filter({ has: page.getByRole('button', { name: 'Approve' }) })
        .nth(1)
        .waitFor();
      await page.getByRole('link', { name: 'Overview 2 need attention' }).waitFor();
      await page.getByRole('link', { name: 'Ship it?' }).first().focus();
      await page.keyboard.press('a');
      await page.getByRole('status').getByText('Run approved').waitFor();
      await until('the oldest to go on', PAGE_WAIT_MS, async () =>
        (await place.svc(['status', first])).stdout.includes('succeeded') ? true : undefined,
      );
      await page.getByRole('link', { name: 'Ship it?' }).first().focus();
      await page.keyboard.press('r');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Reason (optional)').fill('not today');
      await dialog.getByRole('button', { name: 'Reject and cancel run' }).click();
      await page.getByText("You're all caught up").waitFor();
      t.match((await place.svc(['status', second])).stdout, /cancelled[\s\S]*Rejected by dev: not today/);
      // At once, because the console counts them only when they follow each other soon.
      await Promise.all(['g', 'r'].map((key) => page.keyboard.press(key)));
      await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.getByRole('toolbar', { name: '1 selected' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(first.slice(-5).toLowerCase());
      await page.getByRole('option', { name: new RegExp(first.slice(-6)) }).waitFor();
      await page.getByRole('combobox').fill('ord');
      await page.getByRole('option', { name: 'Run orders…' }).waitFor();
      await page.getByRole('option', { name: 'orders', exact: true }).click();
      await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('in');
      await page.getByRole('option', { name: 'orders-in', exact: true }).click();
      await page.getByRole('heading', { name: 'orders-in', level: 1 }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Keyboard shortcuts').waitFor();
      t.same(await inaccessible(page), []);
      t.same(place.faults, []);
    },
  );
}
