/** The panel "Capacity" of the overview: which slots are free, and whether runs wait for one. */

/** Figures are read again at most so often, however many runs change; agents come and go without a word. */
const BATCH_MS = 1000;
const AGAIN_MS = 15_000;

const element = (name, text = '', className = '') =>
  Object.assign(document.createElement(name), { textContent: text, className });

const plural = (n, one) => `${n} ${n === 1 ? one : `${one}s`}`;

function advice({ agents, runs }) {
  const waiting = `${plural(runs.queued, 'run')} ${runs.queued === 1 ? 'waits' : 'wait'}`;
  if (agents.connected === 0)
    return runs.queued > 0
      ? `${waiting}, because no agent is connected. Start one with svc agent.`
      : 'No agent is connected, so scripts cannot run. Start one with svc agent.';
  if (runs.queued > 0 && agents.free === 0)
    return `${waiting} for a free slot. To run more at once, start another agent.`;
  if (runs.queued > 0) return `${plural(runs.queued, 'run')} ${runs.queued === 1 ? 'starts' : 'start'} now.`;
  return agents.free > 0
    ? 'No run is queued. A new script starts at once.'
    : 'All slots are busy. A new script waits for one.';
}

function meter({ slots, free }) {
  const held = slots - free;
  const bar = element('meter');
  Object.assign(bar, { min: 0, max: Math.max(1, slots), value: held });
  bar.setAttribute('aria-label', `${held} of ${slots} slots are in use`);
  return bar;
}

/** @param {HTMLElement} place @param {import('svc/console').ConsoleContext} context */
export async function mount(place, context) {
  let batch;
  const show = (summary) => {
    const { agents } = summary;
    const line = element('p', '', 'row');
    const link = Object.assign(element('a', plural(agents.connected, 'agent')), { href: context.href('/agents') });
    line.append(
      element('strong', `${agents.slots - agents.free} of ${plural(agents.slots, 'slot')} in use`),
      meter(agents),
      element('span', advice(summary), 'quiet'),
      link,
    );
    place.replaceChildren(line);
  };
  const read = async () => show(await (await context.api(context.scoped('/summary'))).json());
  const again = () => {
    batch ??= setTimeout(() => {
      batch = undefined;
      read().catch(context.fail);
    }, BATCH_MS);
  };
  context.live('runs,accounts', again);
  const timer = setInterval(again, AGAIN_MS);
  await read();
  return () => {
    clearInterval(timer);
    clearTimeout(batch);
  };
}
