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
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** A link inside this page; main.mjs follows it without a page load. */
export function link(path, text, attributes = {}) {
  return h('a', { href: path, 'data-link': true, ...attributes }, text);
}

export function status(name) {
  return h('span', { class: `status ${/^[a-z]+$/.test(name) ? name : ''}` }, name);
}
