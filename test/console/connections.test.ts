import type { Page } from 'playwright-core';
import t from 'tap';
import { freePort } from '../../features/support/free-port.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console } from './browser.ts';
import { leaveOut } from '../kit/needs.ts';

/** The person signs in at the provider, and agrees. */
async function agree(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByText('Continue').click();
}

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

t.test(
  'a person connects an account in a browser, loses it, and connects it again',
  { timeout: 1_200_000 },
  async (t) => {
    const path = chromiumPath();
    if (path === undefined) return leaveOut(t, 'chromium');
    const port = await freePort();
    const far = new OidcServer();
    await far.listen({ redirect_uri: `http://127.0.0.1:${port}/connections/callback` });
    t.teardown(() => far.close());
    const env = { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify([far.settings('far')]) };
    const place = await Console.open(t, path, { port, env });
    const page = await place.signedIn();
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByText('No accounts connected yet').waitFor();
    await page.getByRole('searchbox', { name: 'Find a system' }).fill('claude');
    await page.getByRole('link', { name: 'Anthropic' }).waitFor();
    t.equal(await page.getByRole('button', { name: /^Connect / }).count(), 0, 'only what fits the words is shown');
    await page.getByRole('searchbox', { name: 'Find a system' }).fill('');
    await page.getByRole('button', { name: /^Connect / }).click();
    await page.getByLabel('Name').fill('mail');
    await page.getByRole('button', { name: /^Continue to/ }).click();
    await agree(page, 'ana');
    await page.getByRole('heading', { name: 'The account is connected' }).waitFor();
    const answer = page.url();
    await page.getByRole('link', { name: /Connections/ }).click();
    const row = page.getByRole('row', { name: /mail/ });
    await row.getByText('Healthy').waitFor();
    await row.getByText('ana at the provider').waitFor();
    await row.getByText(/granted by dev/).waitFor();
    await row.getByText('Not used yet').waitFor();
    const script = 'svc wait-signal go\n';
    const submitted = await place.svc(['submit', '-', '--json', '--credential', 'MAIL=mail'], script);
    const { run_id } = JSON.parse(submitted.stdout) as { run_id: string };
    const chip = row.getByRole('link', { name: run_id.slice(-6) });
    await chip.waitFor();
    t.match(await chip.getAttribute('title'), /script: MAIL/);

    await page.goto(answer);
    await page.getByRole('heading', { name: /already used/ }).waitFor();
    const stranger = await place.newPage();
    await stranger.goto(answer);
    await stranger.getByRole('heading', { name: /another browser/ }).waitFor();

    await page.goto(`${place.url}/orgs/dev/projects/main/connections`);
    const confirmed = async (item: string, verb: string) => {
      await row.getByRole('button', { name: 'Actions for mail' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: verb }).click();
    };
    await confirmed('Disable account', 'Disable account');
    await row.getByText(/switched off by dev/).waitFor();
    t.match((await place.svc(['account', 'list'])).stdout, /mail\s+far\s+.*disabled\s+http.*\/connections#mail/);
    await row.getByRole('button', { name: 'Reconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Continue to provider' }).click();
    await page.getByText('Continue').click();
    await page.getByRole('heading', { name: /connected again/ }).waitFor();
    await page.getByRole('link', { name: /Connections/ }).click();
    await confirmed('Remove account', 'Remove account');
    await page.getByText('No accounts connected yet').waitFor();
    t.same(place.faults, [], 'no error in the pages');
    return undefined;
  },
);

t.test('@PROV-026 without a provider the page offers nothing to connect', { timeout: 1_200_000 }, async (t) => {
  const path = chromiumPath();
  if (path === undefined) return leaveOut(t, 'chromium');
  const place = await Console.open(t, path);
  const page = await place.signedIn();
  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByText(/This server has no providers/).waitFor();
  t.equal(await page.getByRole('button', { name: /^Connect/ }).count(), 0);
});
