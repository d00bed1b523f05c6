import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { type Console, inaccessible } from './browser.ts';

/** Every page of graphs: in both themes, wide and narrow, and with texts that would do harm as markup. */
export async function lookAtGraphs(t: Test, place: Console): Promise<void> {
  const go = (page: Page, to: string) => page.goto(`${place.url}/orgs/dev/projects/main${to}`);
  for (const colorScheme of ['light', 'dark'] as const) {
    const viewport = colorScheme === 'dark' ? { width: 390, height: 844 } : { width: 1280, height: 860 };
    const other = await place.signedIn(place.token, await place.newBrowser({ colorScheme, viewport }));
    const pages: [string, RegExp][] = [
      ['/graphs', /^Graphs$/],
      ['/graphs/hostile', /hostile/],
      ['/graphs/hostile?node=x', /hostile/],
      ['/graphs/orders?tab=versions', /orders/],
      ['/graphs/orders?tab=compare', /orders/],
      ['/graphs/steps?tab=run&node=ok', /steps/],
    ];
    for (const [to, name] of pages) {
      await go(other, to);
      await other.getByRole('heading', { name, level: 1 }).waitFor();
      await other.getByText('Loading…').first().waitFor({ state: 'detached' });
      t.same(await inaccessible(other), [], `${to} ${colorScheme}`);
      const wide = await other.evaluate('document.documentElement.scrollWidth > innerWidth');
      t.equal(wide, false, `${to} fits ${viewport.width} px`);
    }
    await go(other, '/graphs/hostile?node=x');
    await other.getByRole('heading', { name: /onerror/, level: 1 }).waitFor();
    t.notMatch(await other.title(), /owned/);
    t.match(await other.locator('.graph-node h2').innerText(), /\\u202e/, 'what deceives is shown');
    await other.context().close();
  }
  t.same(place.faults, [], 'no error in any page, and nothing that the policy refused');
}
