import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { FarEnd, send } from '../../features/support/far-end.ts';
import { freePort } from '../../features/support/free-port.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { Console } from './browser.ts';
import { addByMouse, card, field, panel } from './drawing.ts';
import { omit } from '../kit/needs.ts';

const path = chromiumPath();
const FIRST = 'first-token-of-the-chat';
const SECOND = 'second-token-of-the-chat';

t.setTimeout(600_000);

if (path === undefined) omit(t, 'the whole way in a browser', 'chromium');
else
  t.test('with the console alone: from nothing to a mended run', { timeout: 1_200_000 }, async (t) => {
    const port = await freePort();
    const far = new OidcServer();
    await far.listen({ redirect_uri: `http://127.0.0.1:${port}/connections/callback` });
    t.teardown(() => far.close());
    let valid = FIRST;
    const chat = await FarEnd.open(({ headers }, response) => {
      const ok = headers.authorization === `Bearer ${valid}`;
      send(response, ok ? 200 : 401, { 'content-type': 'application/json' }, JSON.stringify({ ok }));
    });
    t.teardown(() => chat.close());
    const env = { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify([far.settings('far')]) };
    const place = await Console.open(t, path, { port, env });
    const page = await place.signedIn();
    await page.setViewportSize({ width: 1400, height: 1000 });
    const dialog = page.getByRole('dialog');

    await t.test('an account is connected', async () => {
      await page.getByRole('link', { name: 'Connections' }).click();
      await page.getByRole('button', { name: /^Connect / }).click();
      await page.getByLabel('Name').fill('mail');
      await page.getByRole('button', { name: /^Continue to/ }).click();
      await page.locator('input[name=login]').fill('ana');
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.getByText('Continue').click();
      await page.getByRole('heading', { name: 'The account is connected' }).waitFor();
      await page.getByRole('link', { name: /Connections/ }).click();
      await page.getByRole('row', { name: /mail/ }).getByText('Healthy').waitFor();
    });

    await t.test('a graph is drawn, and says what it lacks', async (t) => {
      await page.getByRole('link', { name: 'Graphs', exact: true }).click();
      await page.getByRole('link', { name: 'New graph' }).click();
      await page.getByText('The graph has no nodes yet.').waitFor();
      await addByMouse(page, 'trigger.webhook');
      await addByMouse(page, 'condition');
      await field(page, 'If').fill('nodes.webhook.output.payload.body.total > 100');
      await addByMouse(page, 'team_chat.post_message');
      await field(page, 'Credential').fill('chat-bot');
      await field(page, 'ID or name of the channel').fill('#orders');
      await field(page, 'Base address of the API').fill(chat.url('').replace(/\/$/, ''));
      await field(page, 'The message').fill('An order of {{ nodes.webhook.output.payload.body.total }}');
      await field(page, 'Fail on error status').check();
      await addByMouse(page, 'code');
      await field(page, 'Language').selectOption('bash');
      await field(page, 'Script').fill('test -n "$MAIL" && echo \'{"packed": true}\'');
      await field(page, 'Name of the new member of Credentials').fill('MAIL');
      await panel(page).getByRole('button', { name: 'Add to Credentials' }).click();
      await field(page, 'MAIL').fill('mail');
      await page.getByRole('button', { name: 'Arrange' }).click();
      await page.getByText(/^✓ No problems/).waitFor();
      await page.locator('#graph-name').fill('orders');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Edit orders' }).waitFor();
      await page.getByText('Credentials and accounts').click();
      await page.getByText('Something is missing').waitFor();
      await page.getByRole('button', { name: 'Create chat-bot' }).click();
      await dialog.locator('[name=token]').fill(FIRST);
      await dialog.getByRole('button', { name: 'Store credential' }).click();
      await page.getByText('All credentials found').waitFor();
      t.match(page.url(), /\/graphs\/orders\/edit$/, 'without leaving');
    });

    const address = { url: '', secret: '' };
    await t.test('it is published', async () => {
      await page.goto(`${place.url}/orgs/dev/projects/main/graphs/orders`);
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await dialog.getByRole('button', { name: 'Publish version' }).click();
      await page.getByText('It is shown only once').waitFor();
      address.secret = await page.locator('.once code').nth(1).innerText();
      address.url = await page.locator('code', { hasText: '/hooks/' }).first().innerText();
      await page.getByRole('button', { name: 'I have saved it' }).click();
    });

    const deliver = async (total: number) => {
      const headers = { 'x-svc-hook-secret': address.secret, 'content-type': 'application/json' };
      const sent = await fetch(address.url, { method: 'POST', headers, body: JSON.stringify({ total }) });
      t.equal(sent.status, 202);
    };
    const node = (id: string, says: RegExp) => card(page, id).filter({ hasText: says });

    await t.test('a webhook is sent, and its run watched', async (t) => {
      await page.getByRole('link', { name: 'Newest run' }).click();
      await page.getByText('No runs yet').waitFor();
      await deliver(120);
      await node('code', /succeeded/).waitFor();
      t.match(JSON.parse(chat.seen[0]!.body), { channel: '#orders', text: 'An order of 120' });
    });

    await t.test('a second one fails; why is found, mended, and it goes on from the failed node', async (t) => {
      valid = SECOND;
      await deliver(250);
      await node('post_message', /failed/).waitFor();
      await page.getByRole('link', { name: 'Runs', exact: true }).click();
      await page
        .getByRole('row', { name: /Failed/ })
        .getByRole('link')
        .first()
        .click();
      const failed = page.url();
      await page.getByText(/401/).first().waitFor();
      await page.getByRole('link', { name: 'Connections', exact: true }).click();
      await page.getByRole('link', { name: 'Credentials' }).click();
      await page
        .getByRole('row', { name: /chat-bot/ })
        .getByRole('button', { name: 'Actions for chat-bot' })
        .click();
      await page.getByRole('menuitem', { name: 'Replace value' }).click();
      await dialog.locator('[name=token]').fill(SECOND);
      await dialog.getByRole('button', { name: 'Replace value' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.goto(failed);
      await node('post_message', /failed/).click();
      await page.locator('.graph-node').getByRole('button', { name: 'Rerun from here' }).click();
      await dialog.getByRole('button', { name: 'Rerun', exact: true }).click();
      await page.waitForURL((url) => url.href !== failed);
      await node('code', /succeeded/).waitFor();
      await node('condition', /kept/).waitFor();
      t.equal(chat.seen.length, 3);
      t.match(JSON.parse(chat.seen[2]!.body), { text: 'An order of 250' });
    });

    t.same(place.faults, []);
  });
