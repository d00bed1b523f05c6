import type { Page, Route } from 'playwright-core';
import t from 'tap';
import { chromiumPath } from '../../features/support/chromium.ts';
import { Console } from './browser.ts';
import { omit } from '../kit/needs.ts';

const path = chromiumPath();

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const api = async ({ url, token }: Console, method: string, path: string, body?: object, as = token) => {
  const headers = { authorization: `Bearer ${as}`, ...(body && { 'content-type': 'application/json' }) };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${url}/api/v1${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? {} : JSON.parse(text);
};

const signOutEverywhere = (place: Console, as?: string) => api(place, 'DELETE', '/sessions', undefined, as);

/** Goes to another page, upon which the console is refused and leads to the sign-in. It may have noticed by itself. */
const toSignIn = async (page: Page, area: string): Promise<void> => {
  const token = page.getByLabel('Access token');
  await page.getByRole('link', { name: area, exact: true }).or(token).first().click();
  await token.waitFor();
};

/** The page that the sign-in comes back to. */
const back = (page: Page): string => {
  const last = new URL(page.url()).searchParams.get('back')!.split('/').at(-1)!;
  return last[0]!.toUpperCase() + last.slice(1);
};

const signIn = async (page: Page, token: string, leadsTo: string) => {
  await page.getByLabel('Access token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: leadsTo, level: 1 }).waitFor();
};

/** Resolves with the first such request of the page. It is held: the server does not see it. Later ones go on. */
const hold = (page: Page, method: string, fits: (url: URL) => boolean): Promise<Route> =>
  new Promise((resolve, reject) => {
    let taken = false;
    const take = (route: Route) => {
      if (taken || route.request().method() !== method) return route.continue();
      taken = true;
      return resolve(route);
    };
    page.route(fits, take).catch(reject);
  });

/** The page has read this, and was not refused. */
const read = (page: Page, end: string) =>
  page.waitForResponse(
    (response) => response.url().endsWith(end) && response.request().method() === 'GET' && response.status() === 200,
  );

const staysSignedIn = async (page: Page) => {
  await page.getByRole('button', { name: 'dev', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).waitFor();
};

if (path === undefined) omit(t, 'the console in a browser', 'chromium');
else {
  t.test('a late answer to a request of the session before does not end the one that began since', async (t) => {
    const place = await Console.open(t, path);
    const page = await place.signedIn();
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('button', { name: 'Emit event' }).click();
    await page.getByRole('dialog').getByLabel('Type').fill('deploy.done');
    const held = hold(page, 'POST', ({ pathname }) => pathname.endsWith('/events'));
    await page.getByRole('dialog').getByRole('button', { name: 'Emit event' }).click();
    const emit = await held;
    await signOutEverywhere(place);
    // The server's own answer to it, which comes late.
    const refused = await emit.fetch();
    t.equal(refused.status(), 401);
    await page.keyboard.press('Escape');
    await toSignIn(page, 'Runs');
    await signIn(page, place.token, back(page));
    const found = read(page, '/session');
    await emit.fulfill({ response: refused });
    await found;
    await staysSignedIn(page);
    t.same(place.faults, []);
  });

  t.test('where another tab has signed in anew, a refused page is read again', async (t) => {
    const place = await Console.open(t, path);
    const page = await place.signedIn();
    // Nothing is known of this window yet: its reading goes on when a stream that opens has the page read again.
    const held = hold(page, 'GET', ({ pathname, search }) => pathname.endsWith('/summary') && search === '?window=7d');
    await page.getByRole('group', { name: 'Window' }).getByRole('button', { name: '7 days' }).click();
    const summary = await held;
    const cookie = await summary.request().headerValue('cookie');
    const tab = await place.newPage(page.context());
    await tab.goto(`${place.url}/sign-in`);
    await signIn(tab, place.token, 'Overview');
    // What the server says to the cookie that the request was sent with.
    const refused = await fetch(summary.request().url(), { headers: { cookie: cookie! } });
    t.equal(refused.status, 401);
    const found = Promise.all([read(page, '/session'), read(page, '/summary?window=7d')]);
    await summary.fulfill({ status: 401, contentType: 'application/problem+json', body: await refused.text() });
    await found;
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await staysSignedIn(page);
    t.same(place.faults, []);
  });

  t.test('a page whose session is over leads to the sign-in', async (t) => {
    const place = await Console.open(t, path);
    const page = await place.signedIn();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('Nothing has run here yet').waitFor();
    await signOutEverywhere(place);
    await toSignIn(page, 'Agents');
    t.match(page.url(), /\/sign-in\?back=/, 'it comes back to where it was');
    await signIn(page, place.token, back(page));
    t.same(place.faults, []);
  });

  t.test('a page stays while the server cannot be asked whether its session is over', async (t) => {
    const place = await Console.open(t, path);
    const page = await place.signedIn();
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('Nothing has run here yet').waitFor();
    const session = ({ pathname }: URL) => pathname === '/api/v1/session';
    await page.route(session, (route) => route.abort('connectionrefused'));
    let asked = 0;
    const gaveUp = page.waitForEvent('requestfailed', {
      // It asks, and three times again.
      predicate: (request) => session(new URL(request.url())) && ++asked === 4,
    });
    await signOutEverywhere(place);
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await gaveUp;
    await page.getByRole('button', { name: 'dev', exact: true }).waitFor();
    await page.unroute(session);
    await toSignIn(page, 'Locks');
    t.same(
      place.faults.filter((fault) => !/ERR_CONNECTION/.test(fault)),
      [],
    );
  });

  t.test('whoever reaches no project comes to the sign-in too, whatever was refused first', async (t) => {
    const place = await Console.open(t, path);
    await api(place, 'PUT', '/orgs/far', {});
    await api(place, 'PUT', '/orgs/far/members/fay', { role: 'member' });
    const { token } = await api(place, 'POST', '/tokens', { name: 'of-fay', org: 'far', user: 'fay' });
    const page = await place.newPage();
    await page.clock.install();
    await page.goto(place.url);
    await signIn(page, token, 'No project yet');
    await signOutEverywhere(place, token);
    const held = hold(page, 'GET', ({ pathname }) => pathname === '/api/v1/session');
    const refused = page.waitForResponse((one) => one.url().endsWith('/whoami') && one.status() === 401);
    // By then who one is would be read again, when one comes back to the page.
    await page.clock.fastForward(61_000);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await (await refused).finished();
    await (await held).continue();
    await page.getByLabel('Access token').waitFor();
    t.same(place.faults, []);
  });
}
