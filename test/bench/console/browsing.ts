import type { Browser, BrowserContext, Page } from 'playwright-core';
import { until } from '../../../features/support/process.ts';
import type { TestServer } from '../../kit/index.ts';

const BOUND_MS = 120_000;

/** Notes in every document when what it waits for is there, and every task of more than 50 ms. */
const watching = (ready: string) => `
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.tasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (${ready}) window.readyAt ??= performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

/** A new browser in which the caller is signed in. */
export async function signedIn(browser: Browser, server: TestServer, caller: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  // A session is bound to the program in which it was begun.
  const blank = await context.newPage();
  const own = { 'user-agent': String(await blank.evaluate('navigator.userAgent')) };
  await blank.close();
  const { headers, status } = await server.call(caller, 'POST /api/v1/session', undefined, own);
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? [];
  if (status !== 201 || name === undefined) throw new Error(`${caller} cannot sign in: ${status}`);
  await context.addCookies([{ name, value: value!, url: server.url }]);
  return context;
}

export interface Opened {
  page: Page;
  /** From the beginning of the navigation. */
  ready_ms: number;
}

/** Opens an address; `ready` is an expression that is true when a person can use the page. */
export async function open(context: BrowserContext, url: string, ready: string): Promise<Opened> {
  const page = await context.newPage();
  await page.addInitScript(watching(ready));
  await page.goto(url, { waitUntil: 'commit' });
  const ready_ms = await until(`${url} to be ready`, BOUND_MS, async () => {
    const at = (await page.evaluate('window.readyAt')) as number | null | undefined;
    return at ?? undefined;
  });
  return { page, ready_ms };
}

/** The longest task of the page since a moment of its clock; 0 when none took 50 ms. */
export async function longestTask(page: Page, since_ms = 0): Promise<number> {
  // The observer is told of a task after the next frame.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
  const tasks = (await page.evaluate('window.tasks')) as [number, number][];
  return Math.max(0, ...tasks.filter(([at]) => at >= since_ms).map(([, took]) => took));
}

export const clockOf = (page: Page): Promise<number> => page.evaluate('performance.now()');

/** Scrolls what the selector names through all of its height, a frame at a time. Answers the longest task meanwhile. */
export async function scrollThrough(page: Page, selector: string, frames: number): Promise<number> {
  const since = await clockOf(page);
  await page.evaluate(`new Promise((done) => {
    const pane = document.querySelector(${JSON.stringify(selector)});
    const step = (pane.scrollHeight - pane.clientHeight) / ${frames};
    let n = 0;
    const move = () => {
      pane.scrollTop = step * n;
      if (n++ < ${frames}) requestAnimationFrame(move);
      else done();
    };
    move();
  })`);
  return longestTask(page, since);
}
