import { follow, get, scoped } from './api.mjs';
import { h, status, table } from './element.mjs';
import { keepFresh } from './runs.mjs';
import { ago, bytesOf, plain, pretty, span, took } from './text.mjs';

const FINAL = ['succeeded', 'failed', 'cancelled'];
const STEPS = 200;
/** Characters of log kept in the page; `svc logs` shows all of it. */
const LOG_LENGTH = 1_000_000;

const time = (iso, now) => h('time', { datetime: iso, title: iso }, ago(iso, now));

function facts(run) {
  const now = Date.now();
  const { substate } = run;
  const list = [
    ['Run', h('span', { class: 'mono' }, run.run_id)],
    substate && [
      'Waits for',
      `${substate.kind} ${substate.name}, since ${ago(substate.since, now)}${substate.deadline ? `, until ${substate.deadline}` : ''}`,
    ],
    ['Started by', [run.trigger.type, run.trusted ? '' : ' (not trusted)', run.parent && ` of ${run.parent}`]],
    run.subject && ['Subject', run.subject],
    run.tags.length > 0 && ['Tags', run.tags.map((tag) => [h('span', { class: 'tag' }, tag), ' '])],
    ['Created', time(run.created_at, now)],
    run.started_at && ['Took', took(run, now)],
    run.error && [
      'Error',
      [h('code', { class: 'quiet' }, run.error.code), h('pre', { class: 'error' }, run.error.message)],
    ],
    run.reason && ['Reason', run.reason],
    hasContent(run.output) && ['Output', h('pre', {}, pretty(run.output))],
    ...run.annotations.map((text) => ['Note', h('pre', {}, text)]),
  ];
  return list.filter(Boolean).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, [value].flat(2))]);
}

const hasContent = (value) => value !== undefined && value !== null && pretty(value) !== '{}';

function output(step) {
  if (step.message) return h('span', { class: 'error' }, step.message);
  const text =
    step.stdout ??
    (step.stdout_base64 === undefined ? '' : `${bytesOf(step.stdout_base64).length} bytes that are not text`);
  if (text === '') return h('span', { class: 'quiet' }, '–');
  const [first] = text.split('\n', 1);
  if (first === text.trimEnd() && first.length <= 80) return h('code', {}, first);
  return h('details', {}, h('summary', {}, first.slice(0, 80) || `${text.length} characters`), h('pre', {}, text));
}

function outcome(step, now) {
  if (step.status === 'waiting')
    return [status('waiting'), step.deadline ? h('div', { class: 'quiet' }, `until ${step.deadline}`) : undefined];
  const failed = step.exit_code !== undefined && step.exit_code !== 0;
  const spent = span(Date.parse(step.recorded_at) - Date.parse(step.started_at));
  return [
    status(failed ? 'failed' : 'recorded'),
    h('div', { class: 'quiet' }, failed ? `exit ${step.exit_code}, ` : '', spent, ', ', ago(step.recorded_at, now)),
  ];
}

function stepTable(steps, more) {
  if (steps.length === 0) return h('p', { class: 'quiet' }, 'No durable call yet.');
  const now = Date.now();
  const rows = steps.map((step) =>
    h(
      'tr',
      {},
      h('td', { class: 'tight quiet' }, String(step.position)),
      h(
        'td',
        {},
        h('span', { class: 'quiet' }, `${step.kind} `),
        step.label ?? step.name,
        step.ordinal > 0 ? h('span', { class: 'quiet' }, ` #${step.ordinal}`) : undefined,
      ),
      h('td', { class: 'tight' }, outcome(step, now)),
      h('td', {}, output(step)),
    ),
  );
  return h(
    'div',
    {},
    table([[''], ['Step'], ['Outcome'], ['Output']], rows),
    more
      ? h('p', { class: 'quiet' }, 'There are more; see them all with ', h('code', {}, 'svc steps'), '.')
      : undefined,
  );
}

/** Appends new text, drops the oldest beyond the limit, and stays at the end unless the reader scrolled up. */
function logPane() {
  const pane = h('pre', { class: 'log', tabindex: '0', 'aria-label': 'Log' });
  const decoders = new Map();
  let length = 0;
  const append = (chunk) => {
    if (!decoders.has(chunk.stream)) decoders.set(chunk.stream, new TextDecoder());
    const decode = decoders.get(chunk.stream);
    // A chunk may end in the middle of a character.
    const text = plain(decode.decode(bytesOf(chunk.data), { stream: true }));
    const atEnd = pane.scrollHeight - pane.scrollTop - pane.clientHeight < 24;
    pane.append(h('span', { class: chunk.stream === 'stderr' ? 'stderr' : '' }, text));
    length += text.length;
    while (length > LOG_LENGTH && pane.childElementCount > 1) {
      length -= pane.firstElementChild.textContent.length;
      pane.firstElementChild.remove();
    }
    if (atEnd) pane.scrollTop = pane.scrollHeight;
  };
  return { pane, append };
}

/** One run: its record, its durable calls, and its live log. */
export async function showRun(view, run_id) {
  const path = scoped(view.scope, `/runs/${encodeURIComponent(run_id)}`);
  const title = h('h1', {});
  const record = h('dl', {});
  const steps = h('div', {});
  const { pane, append } = logPane();
  let final = false;
  async function refresh() {
    if (final) return;
    const [run, page] = await Promise.all([get(path, view.signal), get(`${path}/steps?limit=${STEPS}`, view.signal)]);
    title.replaceChildren(run.workflow, ' ', status(run.status));
    record.replaceChildren(...facts(run));
    // An open output is not redrawn.
    if (!steps.querySelector('details[open]') || FINAL.includes(run.status))
      steps.replaceChildren(stepTable(page.steps, page.next_cursor));
    final = FINAL.includes(run.status);
  }
  await refresh();
  view.main.replaceChildren(
    h('p', {}, view.link(undefined, '← Runs')),
    h('section', { class: 'panel' }, title, record),
    h('h2', {}, 'Steps'),
    steps,
    h('h2', {}, 'Log'),
    pane,
  );
  keepFresh(view, refresh);
  try {
    for await (const chunk of follow(`${path}/logs`, view.signal)) append(chunk);
    if (!view.signal.aborted) await refresh();
  } catch (error) {
    if (!view.signal.aborted) view.say(`The log cannot be read: ${error.message}`);
  }
}
