import { get, Refusal, send, token } from './api.mjs';
import { showConnections } from './connections.mjs';
import { h, link } from './element.mjs';
import { showRun } from './run.mjs';
import { showRuns } from './runs.mjs';
import { showSignIn } from './sign-in.mjs';

const at = (id) => document.getElementById(id);
const RUN_PATH = /^\/orgs\/([^/]+)\/projects\/([^/]+)(?:\/(?:runs\/([^/]+)|(connections)))?\/?$/;

let who;
let leave = new AbortController();

function readAddress() {
  const [, org, project, run, connections] = (RUN_PATH.exec(location.pathname) ?? []).map(
    (part) => part && decodeURIComponent(part),
  );
  return { org, project, run, connections };
}

export const pathOf = ({ org, project }, run) =>
  `/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}${run ? `/runs/${encodeURIComponent(run)}` : ''}`;

function go(path) {
  history.pushState(null, '', path);
  void show();
}

function say(text) {
  at('notice').textContent = text;
}

function fail(error) {
  if (error.name === 'AbortError') return;
  if (error instanceof Refusal && error.status === 401) return signOut(error.message);
  const hint = error instanceof Refusal ? [error.next, error.request_id && `Request ${error.request_id}`] : [];
  at('main').replaceChildren(
    h(
      'section',
      { class: 'panel' },
      h('h1', {}, 'That did not work'),
      h('p', { class: 'error' }, error instanceof Refusal ? error.message : 'The server cannot be reached.'),
      hint.filter(Boolean).map((text) => h('p', { class: 'quiet' }, text)),
      h('button', { onclick: () => void show() }, 'Try again'),
    ),
  );
}

function signOut(reason) {
  if (token.get()) void endSession();
  token.clear();
  who = undefined;
  void show(reason);
}

/** The page does not wait for it: who signs out sees nothing more of the project at once. */
async function endSession() {
  try {
    await send('DELETE', '/api/v1/session');
  } catch (error) {
    // A token that is not good any more ends its session by itself.
    if (error instanceof Refusal && error.status === 401) return;
    say('You are signed out here. The server could not be told; there the session ends by itself.');
  }
}

function scopes() {
  return who.orgs.flatMap(({ org, projects }) => projects.map(({ project }) => ({ org, project })));
}

function showHeader(scope) {
  const all = who ? scopes() : [];
  const chosen = scope && `${scope.org}/${scope.project}`;
  const options = all.map((one) => {
    const name = `${one.org}/${one.project}`;
    return h('option', { value: pathOf(one), selected: name === chosen }, name);
  });
  const choose = h('select', { 'aria-label': 'Project', onchange: ({ target }) => go(target.value) }, options);
  const pages = scope && [link(pathOf(scope), 'Runs'), link(`${pathOf(scope)}/connections`, 'Connections')];
  at('scope').replaceChildren(...(all.length > 0 && scope ? [h('nav', { class: 'row' }, choose, pages)] : []));
  const out = h('button', { onclick: () => signOut() }, 'Sign out');
  at('session').replaceChildren(...(who ? [h('span', {}, who.user.name), out] : []));
}

function showNoProject() {
  at('main').replaceChildren(
    h('section', { class: 'panel' }, h('h1', {}, 'No project'), h('p', {}, 'This token reaches no project yet.')),
  );
}

/** Leaves the current view and draws the one of the address. */
async function show(reason) {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  say('');
  if (!token.get()) {
    showHeader();
    return showSignIn(at('main'), { reason, done: () => void show() });
  }
  try {
    who ??= await get('/api/v1/whoami', signal);
    const { org, project, run, connections } = readAddress();
    const scope = org ? { org, project } : scopes()[0];
    showHeader(scope);
    if (!scope) return showNoProject();
    const view = {
      main: at('main'),
      scope,
      signal,
      fail,
      say,
      link: (run_id, text) => link(pathOf(scope, run_id), text),
    };
    document.title = `${connections ? 'Connections' : (run ?? 'Runs')} · svc`;
    if (connections) await showConnections(view);
    else await (run ? showRun(view, run) : showRuns(view));
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

addEventListener('popstate', () => void show());
document.addEventListener('click', (event) => {
  const found = event.target.closest?.('a[data-link]');
  if (!found || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(found.getAttribute('href'));
  at('main').focus();
});
void show();
