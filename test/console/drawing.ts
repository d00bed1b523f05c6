import type { Page } from 'playwright-core';
import { until } from '../../features/support/process.ts';
import { type Console, PAGE_WAIT_MS } from './browser.ts';

/** What was saved. */
export interface Drawn {
  nodes: { id: string; type: string; title?: string; config?: Record<string, unknown>; position?: object }[];
  edges: { from: string; to: string; when?: boolean | string }[];
}

export const card = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
export const panel = (page: Page) => page.getByRole('region', { name: 'Selection' });
/** What one types into or chooses from. */
export const field = (page: Page, name: string) =>
  panel(page).locator(`:is(input, textarea, select, .cm-content)[aria-label="${name}"]`);
/** Waits until an expression is true on a page. Its own way to wait would need `eval`, which the pages refuse. */
export const shows = (page: Page, expression: string) =>
  until(expression, PAGE_WAIT_MS, async () => ((await page.evaluate(expression)) ? true : undefined));
export const count = (page: Page, n: number) =>
  shows(page, `document.querySelectorAll('.react-flow__node').length === ${n}`);

/** Two frames later what was asked for is on the screen. */
export const drawn = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

export async function addByMouse(page: Page, type: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a node' }).click();
  await page.getByRole('option', { name: type }).click();
}

/** Chooses nothing, by a click beside all cards. */
export const chooseNothing = (page: Page) => page.locator('.react-flow__pane').click({ position: { x: 300, y: 8 } });

/** Draws an edge from the handle of one card to that of another. */
export async function drag(page: Page, from: string, to: string): Promise<void> {
  const start = (await card(page, from).locator('.source').boundingBox())!;
  const end = (await card(page, to).locator('.target').boundingBox())!;
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  // Not near the edge of the canvas, where it would begin to pan.
  await page.mouse.move(end.x + 60, end.y + 90, { steps: 4 });
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 4 });
  await page.mouse.up();
}

export const ids = ({ nodes }: Drawn) => nodes.map(({ id, type }) => `${id} ${type}`).toSorted();
export const ways = ({ edges }: Drawn) => edges.map(({ from, to, when }) => `${from}>${to} ${when ?? ''}`).toSorted();
export const saved = (page: Page, version: number) => page.getByText(`Saved as version ${version}.`).waitFor();

export async function stored(place: Console, name: string): Promise<Drawn> {
  const shown = await place.svc(['graph', 'show', name, '--json']);
  return (JSON.parse(shown.stdout) as { document: Drawn }).document;
}
