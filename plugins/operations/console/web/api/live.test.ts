import t, { type Test } from 'tap';
import { type LiveState, watch } from './live.ts';

type Source = EventTarget & { readyState: number; onopen?: () => void; onerror?: () => void };

/** Streams that open, speak and break when the test says so, as an `EventSource` does. */
function streaming(t: Test): Source[] {
  const sources: Source[] = [];
  class Fake extends EventTarget implements Source {
    static readonly CLOSED = 2;
    readyState = 0;
    onopen?: () => void;
    onerror?: () => void;
    constructor() {
      super();
      sources.push(this);
    }
    close() {
      this.readyState = Fake.CLOSED;
    }
  }
  const before = globalThis.EventSource;
  t.teardown(() => void (globalThis.EventSource = before));
  globalThis.EventSource = Fake as unknown as typeof EventSource;
  return sources;
}

function listening(t: Test, project: string) {
  const heard: string[] = [];
  const states: LiveState[] = [];
  const stop = watch({ org: 'acme', project }, 'runs', {
    state: (state) => states.push(state),
    on: (kind) => heard.push(kind),
  });
  t.teardown(stop);
  return { heard, states };
}

const say = (source: Source, event: string, data: unknown) =>
  source.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }));

t.test('a page reads again at the first message of a stream, not at its headers', async (t) => {
  const sources = streaming(t);
  const page = listening(t, 'first');
  const [source] = sources as [Source];
  source.onopen?.();
  t.same([page.heard, page.states], [[], ['connecting']]);
  say(source, 'ready', { resumed: false });
  t.same([page.heard, page.states], [['reset'], ['connecting', 'live']]);
});

t.test('a stream that connects again reads again unless the server continued it', async (t) => {
  const sources = streaming(t);
  const page = listening(t, 'again');
  const [source] = sources as [Source];
  // It breaks between its headers and the first message, so the browser has no id to send.
  source.onopen?.();
  source.onerror?.();
  source.onopen?.();
  say(source, 'ready', { resumed: false });
  t.same(page.heard, ['reset'], 'what happened before the first message is read');
  source.onerror?.();
  source.onopen?.();
  say(source, 'ready', { resumed: false });
  t.same(page.heard, ['reset', 'reset'], 'a stream without an id has nothing of what was missed');
  source.onerror?.();
  source.onopen?.();
  say(source, 'ready', { resumed: true });
  say(source, 'run', {});
  t.same(page.heard, ['reset', 'reset', 'run'], 'what was missed is sent');
  source.onerror?.();
  source.onopen?.();
  say(source, 'reset', { reason: 'unknown_id' });
  t.same(page.heard, ['reset', 'reset', 'run', 'reset'], 'once');
  t.equal(page.states.at(-1), 'live');
});

t.test('a page that comes while a stream connects again is told to read again', async (t) => {
  const sources = streaming(t);
  const first = listening(t, 'late');
  const [source] = sources as [Source];
  say(source, 'ready', { resumed: false });
  source.onerror?.();
  const late = listening(t, 'late');
  say(source, 'ready', { resumed: true });
  t.equal(sources.length, 1, 'they share it');
  t.same(late.heard, ['reset']);
  t.same(first.heard, ['reset']);
});
