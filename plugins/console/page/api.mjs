import { events } from './events.mjs';

/** The server's error text. */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`);
    this.status = status;
    this.next = problem.next;
    this.request_id = problem.request_id;
  }
}

const KEY = 'svc-token';

/** Kept as long as this tab is open; never in the address, a cookie or another tab. */
export const token = {
  get: () => sessionStorage.getItem(KEY) ?? undefined,
  set: (text) => sessionStorage.setItem(KEY, text),
  clear: () => sessionStorage.removeItem(KEY),
};

async function open(path, { signal, headers, ...more } = {}) {
  const response = await fetch(path, {
    headers: { authorization: `Bearer ${token.get()}`, ...headers },
    cache: 'no-store',
    credentials: 'omit',
    signal,
    ...more,
  });
  if (response.ok) return response;
  throw new Refusal(response.status, await response.json().catch(() => ({})));
}

export async function get(path, signal) {
  return (await open(path, { signal })).json();
}

/** A change; with the cookie of this browser's session. Answers the JSON, if there is one. */
export async function send(method, path, body) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await open(path, {
    method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.status === 204 ? undefined : response.json();
}

export const scoped = ({ org, project }, path = '') =>
  `/api/v1/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}${path}`;

const PAUSE_MS = 1000;

const pause = (signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Every `log` event once, in order, across reconnects. Ends at the `end` event or when aborted. */
export async function* follow(path, signal) {
  let last;
  while (!signal.aborted) {
    try {
      const response = await open(`${path}?follow=true`, { signal, headers: last ? { 'last-event-id': last } : {} });
      for await (const event of events(response.body)) {
        if (event.event === 'end') return;
        last = event.id ?? last;
        if (event.event === 'log') yield JSON.parse(event.data);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refusal && error.status < 500) throw error;
    }
    await pause(signal);
  }
}
