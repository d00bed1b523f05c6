import assert from 'node:assert/strict';
import { Before, Then } from '@cucumber/cucumber';
import { chromiumPath, openChromium } from '../support/chromium.ts';
import { leftOut } from '../support/left-out.ts';
import type { SvcWorld } from '../support/world.ts';

Before({ tags: '@browser' }, function (this: SvcWorld) {
  return chromiumPath() === undefined ? leftOut(this, 'pages in a browser', 'chromium') : undefined;
});

/** A person with the scenario's token looks at the page. */
Then(
  'the Connections page shows in a browser that {string} was granted by {string}',
  async function (this: SvcWorld, account: string, granter: string) {
    const browser = await openChromium(chromiumPath()!);
    this.cleanups.push(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`${this.target.base_url}/orgs/${this.target.org}/projects/${this.project}/connections`);
    await page.getByLabel('Access token').fill(this.target.token);
    await page.keyboard.press('Enter');
    const row = page.getByRole('table', { name: 'Accounts' }).getByRole('row', { name: new RegExp(`^${account} `) });
    await row.waitFor();
    const lines = (await row.innerText()).split('\n');
    assert.ok(
      lines.some((line) => line.trimEnd().endsWith(`granted by ${this.expand(granter)}`)),
      lines.join('\n'),
    );
  },
);
