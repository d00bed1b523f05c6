/**
 * An element with attributes and children. Text becomes only text nodes, so that content of a run, a log or an answer
 * never becomes markup. Attributes that begin with `on` are listeners.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(
    ...children
      .flat(Number.POSITIVE_INFINITY)
      .filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

/** A link inside this page; main.mjs follows it without a page load. */
export function link(path, text, attributes = {}) {
  return h('a', { href: path, 'data-link': true, ...attributes }, text);
}

/** A table that scrolls sideways. `head` lists the columns: a text and, if wanted, a class. */
export function table(head, rows) {
  const columns = head.map(([text, name]) => h('th', { scope: 'col', class: name }, text));
  return h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, columns)), h('tbody', {}, rows)));
}

export function status(name) {
  return h('span', { class: `status ${/^[a-z_]+$/.test(name) ? name : ''}` }, name);
}
