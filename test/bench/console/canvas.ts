import type { BrowserContext, Page } from 'playwright-core';
import type { TestServer } from '../../kit/index.ts';
import { mustBe } from '../figure.ts';
import { clockOf, longestTask, open } from './browsing.ts';

const CARD = { width: 200, height: 60 };
const GAP = { x: 260, y: 100 };
const COLUMNS = 25;
/** Of the pointer, in one drag. */
const MOVES = 60;

const placeOf = (n: number) => ({ x: (n % COLUMNS) * GAP.x, y: Math.floor(n / COLUMNS) * GAP.y });

/** The node in the middle of them all: those at the edges may lie outside of the view. */
export const middleOf = (count: number) => Math.floor(count / COLUMNS / 2) * COLUMNS + Math.floor(COLUMNS / 2);

/** A graph of so many nodes in one chain. Answers its name. */
export async function makeWideGraph(server: TestServer, count: number): Promise<string> {
  const nodes = Array.from({ length: count }, (_, n) => ({
    ...{ id: `n${n}`, type: 'set', config: { values: n }, position: placeOf(n) },
  }));
  const edges = nodes.slice(1).map(({ id }, n) => ({ from: `n${n}`, to: id }));
  const document = { version: 'svc-graph/v1', nodes, edges };
  const saved = await server.call('member', `PUT ${server.scoped}/graphs/wide`, document);
  mustBe('the status of a save', saved.status, 201);
  return 'wide';
}

/** The floor: so many boxes, of which a plain script moves the one that the pointer holds. */
export function boxesPage(count: number): string {
  const boxes = Array.from({ length: count }, (_, n) => {
    const { x, y } = placeOf(n);
    const look = `position:absolute;left:${x}px;top:${y}px;width:${CARD.width}px;height:${CARD.height}px`;
    return `<div class=box data-id=n${n} style="${look}">n${n}</div>`;
  });
  return `<!doctype html><title>boxes</title>${boxes.join('\n')}<script>
    let held;
    addEventListener('pointerdown', ({ target }) => { held = target.closest('.box'); });
    addEventListener('pointerup', () => { held = undefined; });
    addEventListener('pointermove', ({ movementX, movementY }) => {
      if (!held) return;
      held.style.left = parseFloat(held.style.left) + movementX + 'px';
      held.style.top = parseFloat(held.style.top) + movementY + 'px';
    });
  </script><p id=end>`;
}

/** Frames that the page drew since, by the second. */
const COUNTS_FRAMES = `
  const since = performance.now();
  let frames = 0;
  const count = () => {
    frames += 1;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  window.framesPerSecond = () => (frames * 1000) / (performance.now() - since);
`;

interface Dragged {
  longest_ms: number;
  /** Time of scripts for one move, on the average. */
  move_ms: number;
  /** While it was dragged. */
  frames_s: number;
}

/** Opens a page and drags what a selector names, move by move. */
export async function dragOn(context: BrowserContext, url: string, selector: string): Promise<Dragged> {
  const { page } = await open(context, url, `document.querySelector(${JSON.stringify(selector)}) !== null`);
  try {
    await page.bringToFront();
    return await drag(page, selector);
  } finally {
    await page.close();
  }
}

async function drag(page: Page, selector: string): Promise<Dragged> {
  const card = page.locator(selector);
  // It stands still: what is drawn first has been fitted into the view.
  await card.hover();
  const before = (await card.boundingBox())!;
  const meter = await page.context().newCDPSession(page);
  await meter.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await meter.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ScriptDuration')!.value * 1000;
  };
  const [x, y] = [before.x + before.width / 2, before.y + before.height / 2];
  const since = await clockOf(page);
  const from = await busy();
  await page.evaluate(COUNTS_FRAMES);
  await page.mouse.down();
  await page.mouse.move(x + 200, y + 120, { steps: MOVES });
  const frames_s = Number(await page.evaluate('window.framesPerSecond()'));
  const move_ms = ((await busy()) - from) / MOVES;
  await page.mouse.up();
  const longest_ms = await longestTask(page, since);
  const after = (await card.boundingBox())!;
  if (after.x - before.x < 100) throw new Error(`${selector} was not dragged: ${after.x - before.x} px`);
  return { longest_ms, move_ms, frames_s };
}
