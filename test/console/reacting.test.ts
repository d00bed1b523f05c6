import type { Page } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console, inaccessible } from './browser.ts';
import { omit } from '../kit/needs.ts';

const HOSTILE = '<img src=x onerror="document.title=`owned`">\u202e';
const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

/** Opens the menu of a page or of a row, and chooses from it. */
async function choose(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Chooses what asks first, and agrees. */
async function confirmed(page: Page, name: string, item: string, verb = item): Promise<void> {
  await choose(page, name, item);
  await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
}

const shownSecret = (page: Page): Promise<string> => page.locator('.once code').innerText();

if (path === undefined) omit(t, 'events and what reacts to them in a browser', 'chromium');
else
  t.test('events and what reacts to them', { timeout: 1_200_000 }, async (t) => {
    const place = await Console.open(t, path);
    const base = `${place.url}/orgs/dev/projects/main`;
    const page = await place.signedIn();
    const open = async (area: string) => {
      await page.getByRole('link', { name: area, exact: true }).click();
      await page.getByRole('heading', { name: area, level: 1 }).waitFor();
    };

    await t.test('a handler is made, started by an event, read, tested and changed', async (t) => {
      await open('Handlers');
      await page.getByRole('link', { name: 'New handler' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('shop');
      await page.getByLabel('Event types').fill('order.*');
      await page.getByRole('textbox', { name: /^Condition/ }).fill('event.payload.');
      await page.getByRole('button', { name: 'Create handler' }).click();
      await page.getByText(/when does not compile/).waitFor();
      await page.getByRole('textbox', { name: /^Condition/ }).fill('event.payload.total > 10');
      await page.getByRole('textbox', { name: 'Document' }).fill('echo first\n');
      await page.getByRole('button', { name: 'Create handler' }).click();
      await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();

      await open('Events');
      await page.getByRole('button', { name: 'Emit event' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type').fill('run.mine');
      await dialog.getByRole('button', { name: 'Emit event' }).click();
      await dialog.getByText(/only the service can emit/).waitFor();
      await dialog.getByLabel('Type').fill('order.paid');
      await dialog.getByLabel('Key').fill(HOSTILE.replace('\u202e', ''));
      await dialog.getByLabel('Payload, as JSON').fill(JSON.stringify({ total: 12, note: HOSTILE }));
      await dialog.getByRole('button', { name: 'Emit event' }).click();
      await page.getByRole('heading', { name: 'order.paid', level: 1 }).waitFor();
      const effects = page.getByRole('list', { name: 'Effects' }).getByRole('listitem');
      await effects
        .filter({ hasText: /handler shop/ })
        .getByText('Delivered')
        .waitFor();
      t.match(await page.locator('pre').first().innerText(), /onerror=.*\\u202e/s, 'what deceives is shown');

      await open('Events');
      await page.getByRole('row', { name: /order\.paid/ }).waitFor();
      t.equal(await page.getByRole('row', { name: /run\.succeeded/ }).count(), 0, 'the lifecycle of runs is left out');
      await page.getByRole('switch', { name: 'Show lifecycle events' }).click();
      await page.waitForURL(/lifecycle=show/);
      await page.getByRole('row', { name: /run\.succeeded/ }).waitFor();
      await page.getByRole('switch', { name: 'Show lifecycle events' }).click();
      await page.getByRole('row', { name: /run\.succeeded/ }).waitFor({ state: 'detached' });
      const emitted = await place.svc(['emit', 'order.open', '--payload', '{"total":3}']);
      const [small = ''] = emitted.stdout.match(/evt_\w+/) ?? [];
      await page.getByRole('row', { name: /order\.open/ }).waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Type' }).click();
      await page.getByRole('textbox', { name: 'Type' }).fill('order.open');
      await page.getByRole('textbox', { name: 'Type' }).press('Enter');
      await page.waitForURL(/\/events\?type=order\.open$/);
      await page.getByRole('row', { name: /order\.paid/ }).waitFor({ state: 'detached' });
      await page
        .getByRole('row', { name: /order\.open/ })
        .getByRole('link')
        .click();
      await page.waitForURL(new RegExp(`event=${small}`));
      const beside = page.getByRole('region', { name: `Event ${small}` });
      await beside.getByText('order.open').waitFor();
      await page.getByText('the predicate is false').waitFor();
      t.match(await page.locator('pre').first().innerText(), /"total": 3/, 'its payload stands beside the list');

      await page.getByRole('link', { name: 'shop' }).click();
      await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
      const row = page.getByRole('row', { name: /order\.open/ });
      await row.getByText(/^Declined/).waitFor();
      await page
        .getByRole('row', { name: /order\.paid/ })
        .getByText(/^Delivered/)
        .waitFor();
      await row.getByRole('link', { name: /^Test with/ }).click();
      await page
        .getByRole('textbox', { name: 'Event ID' })
        .and(page.locator(`[value="${small}"]`))
        .waitFor();
      await page.getByRole('button', { name: 'Test handler' }).click();
      await page.getByText('The condition declines it').waitFor();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByRole('textbox', { name: /^Condition/ }).fill('event.payload.total > 1');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Handler shop saved').waitFor();
      await page.getByText('event.payload.total > 1', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Test handler' }).click();
      await page.getByText('A run would start now').waitFor();
      await page.getByRole('button', { name: 'Sample event' }).click();
      await page.getByRole('textbox', { name: /^Type/ }).fill('order.made');
      await page.getByLabel('Payload, as JSON').fill('{"total": 12.50}');
      await page.getByRole('button', { name: 'Test handler' }).click();
      await page.getByText('Sample order.made').waitFor();
      await page
        .getByText(/"total": 12\.50/)
        .first()
        .waitFor();
      const shown = JSON.parse((await place.svc(['handler', 'show', 'shop', '--json'])).stdout);
      t.match(shown, { when: 'event.payload.total > 1', source: 'echo first\n', filename: 'handler.sh' });

      await open('Events');
      await page
        .getByRole('row', { name: /order\.open/ })
        .getByRole('link')
        .click();
      await page.getByRole('link', { name: 'Open event' }).click();
      await page.getByRole('heading', { name: 'order.open', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Replay' }).click();
      t.equal(await page.getByRole('dialog').getByLabel('Handler').inputValue(), 'shop');
      await page.getByRole('dialog').getByRole('button', { name: 'Replay event' }).click();
      await page.getByRole('heading', { name: 'Replays' }).waitFor();
      const [replayed] = JSON.parse((await place.svc(['events', 'show', small, '--json'])).stdout).replays;
      t.match(replayed, { handler: 'shop', state: 'delivered', forced: false });
      await open('Handlers');
      const listed = page.getByRole('row', { name: /shop.* started/ });
      await listed.waitFor();
      await page.getByRole('searchbox', { name: 'Find a handler' }).fill('no such handler');
      await page.waitForURL(/find=no/);
      await page.getByText('No handler matches these filters').waitFor();
      await page.getByRole('searchbox', { name: 'Find a handler' }).fill('ORDER');
      await listed.waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Idle' }).click();
      await page.waitForURL(/state=idle/);
      await listed.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Clear' }).click();
      await listed.waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();

      await open('Events');
      await page.getByRole('link', { name: 'Event types' }).click();
      const type = page.getByRole('row', { name: /^order\.paid/ });
      await type.getByRole('button', { name: 'Last payload' }).click();
      await page
        .getByRole('dialog')
        .getByText(/"total": 12/)
        .waitFor();
      await page.keyboard.press('Escape');
    });

    await t.test('numbers are shown and sent as they are', async (t) => {
      const payload = '{\n  "id": 820982911946154508,\n  "10": 1.0,\n  "9": 1e400\n}';
      await open('Handlers');
      await open('Events');
      await page.getByRole('button', { name: 'Emit event' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type').fill('exact.first');
      await dialog.getByLabel('Payload, as JSON').fill(payload);
      await dialog.getByRole('button', { name: 'Emit event' }).click();
      await page.getByRole('heading', { name: 'exact.first', level: 1 }).waitFor();
      t.equal(await page.locator('pre').first().innerText(), payload);
      await page.getByRole('button', { name: 'Emit similar event' }).click();
      t.equal(await dialog.getByLabel('Payload, as JSON').inputValue(), payload);
      await dialog.getByLabel('Type').fill('exact.second');
      await dialog.getByRole('button', { name: 'Emit event' }).click();
      await page.getByRole('heading', { name: 'exact.second', level: 1 }).waitFor();
      const { stdout } = await place.svc(['events', 'show', page.url().split('/').at(-1)!]);
      t.match(stdout, /"id": 820982911946154508,\n *"10": 1\.0,\n *"9": 1e400\n/);
    });

    await t.test('a hook shows its secret once, takes deliveries, again too, gets new secrets and goes', async (t) => {
      await open('Hooks');
      await page.getByRole('link', { name: 'New hook' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('builds');
      await page.getByRole('textbox', { name: 'Event type' }).fill('build.done');
      await page.getByRole('button', { name: 'Create hook' }).click();
      await page.getByText('It is shown only once').waitFor();
      const first = await shownSecret(page);
      await page.getByRole('link', { name: 'builds' }).click();
      await page.getByText('No deliveries yet').waitFor();
      t.notMatch(await page.content(), first, 'it is nowhere on the next page');
      const address = await page.locator('.address code').innerText();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('button', { name: 'Copy address' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      t.equal(await page.evaluate('navigator.clipboard.readText()'), address, 'the address was copied');
      const deliver = async (secret: string) =>
        (await fetch(address, { method: 'POST', headers: { 'x-svc-hook-secret': secret }, body: '{}' })).status;
      t.equal(await deliver(first), 202);
      await page.getByRole('row', { name: /build\.done/ }).waitFor();
      await confirmed(page, 'builds', 'New secret', 'Create secret');
      await page.getByText('It is shown only once').waitFor();
      const second = await shownSecret(page);
      await page.getByRole('button', { name: 'Send a test delivery' }).click();
      const drawer = page.getByRole('dialog');
      t.equal(await drawer.getByLabel('Secret', { exact: false }).inputValue(), second, 'it is the one that is shown');
      await drawer.getByRole('button', { name: 'Send test delivery' }).click();
      await drawer.getByText('Delivered · 202').waitFor();
      await drawer.getByLabel('Secret', { exact: false }).fill('another one');
      await drawer.getByRole('button', { name: 'Send test delivery' }).click();
      await drawer.getByText('Rejected · 401').waitFor();
      await drawer.getByRole('button', { name: 'Close' }).click();
      t.same([await deliver(first), await deliver(second)], [401, 202], 'the old one ended');
      await page.getByRole('button', { name: 'I have saved it' }).click();
      t.notMatch(await page.content(), second);
      await page
        .getByRole('row', { name: /Rejected/ })
        .first()
        .waitFor();
      await choose(page, 'builds', 'New secret');
      await page.getByLabel('Overlap').fill('1h');
      await page.getByRole('dialog').getByRole('button', { name: 'Create secret' }).click();
      await page.getByText('It is shown only once').waitFor();
      t.equal(await deliver(second), 202, 'the old one counts for an hour');
      await page.getByText(/^The old secret is valid until/).waitFor();
      await page.getByRole('row', { name: /with the old secret/ }).waitFor();
      await confirmed(page, 'builds', 'End the overlap', 'End overlap');
      await page.getByText(/^The old secret is valid until/).waitFor({ state: 'detached' });
      t.equal(await deliver(second), 401);
      const delivered = page.getByRole('row', { name: /build\.done/ }).first();
      await delivered.getByRole('button', { name: /^Actions for delivery/ }).click();
      await page.getByRole('menuitem', { name: 'Redeliver' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click();
      await page.getByText(/redelivery_of/).waitFor();
      await open('Hooks');
      await page.getByRole('link', { name: 'builds' }).click();
      await page.getByRole('row', { name: /redelivered by/ }).waitFor();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Deliveries are verified by').selectOption('hmac');
      await page.getByRole('textbox', { name: 'Header with the HMAC' }).fill('X-Sig');
      await page.getByRole('textbox', { name: 'Signing key' }).fill('a-key-of-the-far-end-0123456789');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('X-Sig: <sha256, hex>').waitFor();
      await choose(page, 'builds', 'New key');
      await page.getByRole('textbox', { name: 'Signing key' }).fill('another-key-of-the-far-end-0123456789');
      await page.getByRole('button', { name: 'Set key', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Send a test delivery' }).click();
      await page.getByRole('textbox', { name: 'Signing key' }).fill('another-key-of-the-far-end-0123456789');
      await page.getByRole('button', { name: 'Send test delivery' }).click();
      await page.getByText('Delivered · 202').waitFor();
      await page.keyboard.press('Escape');
      await confirmed(page, 'builds', 'Remove hook');
      await page.getByText('No hooks yet').waitFor();
    });

    await t.test('a webhook is made, given a new secret, changed and removed', async (t) => {
      await open('Webhooks');
      await page.getByRole('link', { name: 'New webhook' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('site');
      await page.getByRole('textbox', { name: /^Forge/ }).fill('forge_a');
      await page.getByRole('textbox', { name: 'Repository' }).fill('acme/site');
      await page.getByLabel('What runs').selectOption('source');
      await page.getByRole('textbox', { name: 'Document' }).fill('echo push\n');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText('It is shown only once').waitFor();
      const first = await shownSecret(page);
      await page.getByRole('link', { name: 'site', exact: true }).click();
      await page.getByText('No deliveries yet').waitFor();
      await confirmed(page, 'site', 'New secret', 'Create secret');
      await page.getByText('It is shown only once').waitFor();
      t.not(await shownSecret(page), first);
      await page.getByRole('button', { name: 'Send a test delivery' }).click();
      await page.getByRole('button', { name: 'Send test delivery' }).click();
      await page.getByText('Delivered · 202').waitFor();
      await page.getByRole('dialog').getByRole('link', { name: 'forge.ping' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('row', { name: /forge\.ping.*Delivered/ }).waitFor();
      const read = async () => JSON.parse((await place.svc(['webhook', 'show', 'site', '--json'])).stdout);
      t.match(await read(), { repo: 'acme/site', workflow: { source: 'echo push\n' } }, 'all else stayed');
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('What runs').selectOption('nothing');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Nothing', { exact: true }).waitFor();
      t.equal((await read()).workflow, undefined);
      await confirmed(page, 'site', 'Remove webhook');
      await page.getByText('No webhooks yet').waitFor();
    });

    await t.test('a schedule is made, ticks, is paused, triggered, resumed and goes', async (t) => {
      await open('Schedules');
      await page.getByRole('link', { name: 'New schedule' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('pulse');
      await page.getByRole('textbox', { name: 'Cron expression' }).fill('every now and then');
      await page.getByRole('button', { name: 'Create schedule' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByRole('textbox', { name: 'Cron expression' }).fill('* * * * * *');
      await page.getByRole('button', { name: 'Create schedule' }).click();
      await page.getByRole('heading', { name: 'Next five due times' }).waitFor();
      await page.getByText('Every second').waitFor();
      await page
        .getByRole('row', { name: /Event only/ })
        .first()
        .waitFor();
      await open('Schedules');
      const active = page.getByRole('switch', { name: /pulse$/ });
      t.equal(await active.getAttribute('aria-checked'), 'true');
      await active.click();
      await page.getByRole('switch', { name: 'Resume pulse', checked: false }).waitFor();
      await page.getByRole('row', { name: /pulse.*Paused/ }).waitFor();
      await page.getByRole('link', { name: 'pulse', exact: true }).click();
      await page.getByRole('heading', { name: 'pulse', level: 1 }).getByText('Paused').waitFor();
      await page.getByText(/^Paused .* by /).waitFor();
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const shown = JSON.parse((await place.svc(['schedule', 'show', 'pulse', '--json'])).stdout);
      t.match(shown, { paused: true, last_tick: { triggered_by: /./ } });
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
      await confirmed(page, 'pulse', 'Remove schedule');
      await page.getByText('No schedules yet').waitFor();
    });

    await t.test('accessible in both themes on a narrow screen, and a viewer is offered no write', async (t) => {
      await place.svc(['event-hook', 'set', 'scans', '--event-type', 'scan.done']);
      await place.svc(['webhook', 'set', 'site', '--forge', 'forge_a', '--repo', 'acme/site']);
      await place.svc(['schedule', 'set', 'nightly', '30 2 * * *']);
      const made = await place.svc(['token', 'create', 'looks', '--role', 'viewer', '--json']);
      const { token } = JSON.parse(made.stdout) as { token: string };
      const emitted = await place.svc(['emit', 'order.seen', '--payload', '{"total":30}']);
      const [event = ''] = emitted.stdout.match(/evt_\w+/) ?? [];
      const pages: [string, RegExp][] = [
        ['/events', /order\.seen/],
        [`/events/${event}`, /Delivered/],
        ['/event-types', /order\.seen/],
        ['/handlers', /order\.\*/],
        ['/handlers/shop', /Declined/],
        ['/hooks', /scan\.done/],
        ['/hooks/scans', /No deliveries yet/],
        ['/webhooks', /acme\/site/],
        ['/webhooks/site', /Created by hand/],
        ['/schedules', /Every day at 02:30/],
        ['/schedules/nightly', /No runs yet/],
      ];
      const WRITES =
        /^(New|Emit|Change|Remove|Pause|Resume|Trigger|Replay|Redeliver|Test|Replace|Register|Make|Edit|Run now|Send|Actions)/;
      const writesOf = async (looked: Page) => {
        const main = looked.getByRole('main');
        return (
          (await main.getByRole('button', { name: WRITES }).count()) +
          (await main.getByRole('link', { name: /^(New|Test)/ }).count())
        );
      };
      const viewport = { width: 390, height: 800 };
      const light = await place.signedIn(token, await place.newBrowser({ colorScheme: 'light', viewport }));
      const dark = await place.signedIn(place.token, await place.newBrowser({ colorScheme: 'dark', viewport }));
      for (const [address, shows] of pages)
        for (const looked of [light, dark]) {
          await looked.goto(base + address);
          await looked.getByText(shows).first().waitFor();
          const whose = looked === light ? 'light, a viewer' : 'dark, an admin';
          t.same(await inaccessible(looked), [], `${whose} ${address}`);
          t.equal((await writesOf(looked)) > 0, looked === dark, `${whose} ${address}: writes`);
          const overflow = await looked.evaluate('document.documentElement.scrollWidth - innerWidth');
          t.ok(Number(overflow) <= 0, `${address} is not wider than the screen`);
        }
    });

    t.not(await page.title(), 'owned', 'what an event carries is text');
    t.equal(await page.locator('img').count(), 0);
    t.same(place.faults, [], 'no error, and nothing that the content security policy refused');
  });
