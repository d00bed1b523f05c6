import { token } from './api.mjs';
import { h } from './element.mjs';

/** Asks for a token; it stays in this tab. */
export function showSignIn(main, { reason, done }) {
  document.title = 'Sign in · svc';
  const field = h('input', {
    id: 'token',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'svc_pat_…',
    required: true,
  });
  const onsubmit = (event) => {
    event.preventDefault();
    token.set(field.value.trim());
    field.value = '';
    done();
  };
  main.replaceChildren(
    h(
      'form',
      { class: 'panel narrow', onsubmit },
      h('h1', {}, 'Sign in'),
      h('p', { class: 'quiet' }, 'Paste a token. It is kept in this tab only and forgotten when the tab closes.'),
      reason && h('p', { class: 'error', role: 'alert' }, reason),
      h('p', {}, h('label', { for: 'token' }, 'Token'), field),
      h(
        'div',
        { class: 'row spread' },
        h('span', { class: 'quiet' }, h('code', {}, 'svc dev'), ' writes one to ', h('code', {}, '.svc/profile.json')),
        h('button', { class: 'main' }, 'Sign in'),
      ),
    ),
  );
  field.focus();
}
