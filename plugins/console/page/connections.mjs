import { get, scoped, send } from './api.mjs';
import { h, status, table } from './element.mjs';
import { keepFresh } from './runs.mjs';
import { ago } from './text.mjs';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

const time = (iso, now) => h('time', { datetime: iso, title: iso }, ago(iso, now));
const until = (iso) => h('time', { datetime: iso, title: iso }, iso.slice(0, 16).replace('T', ' '));

/** Leaves for the provider. The session says to which browser its answer belongs. */
async function connect(view, name, provider) {
  await send('POST', '/api/v1/session');
  const path = scoped(view.scope, `/accounts/${encodeURIComponent(name)}/connect`);
  const { authorize_url } = await send('POST', path, { provider });
  location.assign(authorize_url);
}

/** Shows a failure beside what the person did. */
const doing = (view, work) => () => void work().catch((error) => view.say(error.message ?? String(error)));

function actions(account, view, refresh) {
  const path = scoped(view.scope, `/accounts/${encodeURIComponent(account.name)}`);
  const again = doing(view, () => connect(view, account.name, account.provider));
  const disable = doing(view, async () => {
    await send('POST', `${path}/disable`);
    await refresh();
  });
  const remove = doing(view, async () => {
    if (!confirm(`Forget the account ${account.name} and end its grant?`)) return;
    const { warnings } = await send('DELETE', path);
    await refresh();
    if (warnings.length > 0) view.say(warnings.join(' '));
  });
  return h(
    'div',
    { class: 'row' },
    h('button', { onclick: again }, 'Connect again'),
    account.status !== 'disabled' && h('button', { onclick: disable }, 'Disable'),
    h('button', { onclick: remove }, 'Remove'),
  );
}

const RENEWAL = {
  automatic: 'renewed by itself',
  none: 'not renewed: there is no refresh token',
  unknown_lifetime: 'not renewed: the provider does not say when it ends',
};

function row(account, view, refresh) {
  const now = Date.now();
  const { name, provider, account: far, granter, scopes, scopes_missing } = account;
  const id = far.label === far.id ? undefined : h('div', { class: 'quiet mono' }, far.id);
  return h(
    'tr',
    { id: name },
    h('td', {}, h('strong', {}, name), h('div', { class: 'quiet' }, provider)),
    h('td', {}, far.label, id),
    h('td', {}, status(account.status), account.reason && h('div', { class: 'quiet' }, account.reason)),
    h('td', {}, granter, h('div', { class: 'quiet' }, time(account.granted_at, now))),
    h(
      'td',
      { class: 'wide' },
      scopes.map((scope) => [h('span', { class: 'tag' }, scope), ' ']),
      scopes_missing.length > 0 && h('div', { class: 'quiet' }, `not granted: ${scopes_missing.join(', ')}`),
      h(
        'div',
        { class: 'quiet' },
        RENEWAL[account.renewal],
        account.expires_at && [', until ', until(account.expires_at)],
      ),
      account.last_used_at && h('div', { class: 'quiet' }, 'used ', time(account.last_used_at, now)),
    ),
    h('td', {}, actions(account, view, refresh)),
  );
}

const COLUMNS = [['Name'], ['Account there'], ['Status'], ['Granted by'], ['Scopes', 'wide'], ['']];

function listed(accounts, view, refresh) {
  if (accounts.length === 0) return h('p', { class: 'quiet' }, 'No account is connected yet.');
  return table(
    COLUMNS,
    accounts.map((account) => row(account, view, refresh)),
  );
}

function form(providers, view) {
  const name = h('input', { id: 'account-name', required: true, autocomplete: 'off', pattern: NAME.source });
  const choice = h(
    'select',
    { id: 'account-provider' },
    providers.map((one) => h('option', { value: one.name }, one.title)),
  );
  const onsubmit = (event) => {
    event.preventDefault();
    doing(view, () => connect(view, name.value.trim(), choice.value))();
  };
  return h(
    'form',
    { class: 'panel', onsubmit },
    h('h2', {}, 'Connect an account'),
    h('p', { class: 'quiet' }, 'Everybody who can submit a workflow in this project can use it. It acts as you.'),
    h(
      'div',
      { class: 'row' },
      h('div', {}, h('label', { for: 'account-provider' }, 'Provider'), choice),
      h('div', {}, h('label', { for: 'account-name' }, 'Name'), name),
      h('button', { class: 'main' }, 'Connect'),
    ),
  );
}

/** The accounts of a project. Connecting is offered only where a provider is configured. */
export async function showConnections(view) {
  const list = h('div', {});
  const { providers } = await get(scoped(view.scope, '/providers?limit=200'), view.signal);
  async function refresh() {
    const { accounts } = await get(scoped(view.scope, '/accounts?limit=200'), view.signal);
    list.replaceChildren(listed(accounts, view, refresh));
  }
  await refresh();
  const none = h('p', { class: 'quiet' }, 'This service has no provider whose accounts could be connected.');
  view.main.replaceChildren(
    h('h1', {}, 'Connections'),
    h('p', {}),
    list,
    h('p', {}),
    providers.length === 0 ? none : form(providers, view),
    h('p', { class: 'quiet' }, 'The same in a terminal: ', h('code', {}, 'svc account list')),
  );
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  keepFresh(view, refresh);
}
