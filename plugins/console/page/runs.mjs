import { get, scoped } from './api.mjs';
import { h, status, table } from './element.mjs';
import { ago, took } from './text.mjs';

const STATUSES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'];
const REFRESH_MS = 3000;
const PAGE = 50;

function row(run, view, now) {
  const waits = run.substate ? h('span', { class: 'quiet' }, ` ${run.substate.kind} ${run.substate.name}`) : undefined;
  return h(
    'tr',
    {},
    h('td', {}, status(run.status), waits),
    h('td', {}, view.link(run.run_id, run.workflow), h('div', { class: 'quiet mono' }, run.run_id)),
    h(
      'td',
      { class: 'wide' },
      run.tags.map((tag) => [h('span', { class: 'tag' }, tag), ' ']),
    ),
    h(
      'td',
      { class: 'tight' },
      h('time', { datetime: run.created_at, title: run.created_at }, ago(run.created_at, now)),
    ),
    h('td', { class: 'tight wide' }, took(run, now)),
  );
}

const COLUMNS = [['Status'], ['Workflow'], ['Tags', 'wide'], ['Created', 'tight'], ['Took', 'tight wide']];

function listed(runs, view) {
  if (runs.length === 0)
    return h(
      'div',
      { class: 'panel' },
      h('p', {}, 'No runs here yet. Start one with ', h('code', {}, 'svc submit <file>'), '.'),
    );
  const now = Date.now();
  return table(
    COLUMNS,
    runs.map((run) => row(run, view, now)),
  );
}

/** The runs of a project, newest first, refreshed while the page is visible. */
export async function showRuns(view) {
  const wanted = new URLSearchParams({ limit: String(PAGE) });
  const list = h('div', {});
  const more = h('p', {});
  let older = [];
  let cursor;

  const load = (extra) => get(scoped(view.scope, `/runs?${new URLSearchParams([...wanted, ...extra])}`), view.signal);
  const draw = (newest) => {
    const seen = new Set(newest.map(({ run_id }) => run_id));
    list.replaceChildren(listed([...newest, ...older.filter(({ run_id }) => !seen.has(run_id))], view));
    more.replaceChildren(
      ...(cursor ? [h('button', { onclick: () => void next().catch(view.fail) }, 'Older runs')] : []),
    );
  };
  let newest = [];
  async function refresh() {
    const page = await load([]);
    newest = page.runs;
    if (older.length === 0) cursor = page.next_cursor;
    draw(newest);
  }
  async function next() {
    const page = await load([['cursor', cursor]]);
    older = [...older, ...page.runs];
    cursor = page.next_cursor;
    draw(newest);
  }
  const choose = ({ target }) => {
    if (target.value === '') wanted.delete('status');
    else wanted.set('status', target.value);
    older = [];
    void refresh().catch(view.fail);
  };
  const options = [
    h('option', { value: '' }, 'every status'),
    ...STATUSES.map((name) => h('option', { value: name }, name)),
  ];
  const filter = h('select', { 'aria-label': 'Status', onchange: choose }, options);
  await refresh();
  view.main.replaceChildren(h('div', { class: 'row spread' }, h('h1', {}, 'Runs'), filter), h('p', {}), list, more);
  keepFresh(view, refresh);
}

/** Not while the tab is hidden, and never two at once. A failure is shown and tried again. */
export function keepFresh({ signal, say }, refresh) {
  let timer;
  const again = () => {
    timer = setTimeout(async () => {
      try {
        if (!document.hidden) await refresh();
        say('');
      } catch (error) {
        if (!signal.aborted) say(`Not up to date: ${error.message}`);
      }
      if (!signal.aborted) again();
    }, REFRESH_MS);
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  again();
}
