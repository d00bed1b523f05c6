// Gives what the runs of tests print to their results, and what they leave unhandled to their ends.
import { presentRun } from './turns.mjs';

let users = 0;
let restore;

/** Begins to capture. Answers how it ends; it ends for good with the last user. */
export function capture() {
  if (users === 0) restore = begin();
  users += 1;
  return () => {
    users -= 1;
    if (users === 0) restore();
  };
}

function begin() {
  const undo = ['stdout', 'stderr'].map((name) => {
    const stream = process[name];
    const { write } = stream;
    stream.write = (data, encoding, written) => {
      const onOutput = presentRun()?.onOutput;
      if (onOutput === undefined) return write.call(stream, data, encoding, written);
      onOutput(name, typeof data === 'string' ? data : Buffer.from(data).toString());
      const done = typeof encoding === 'function' ? encoding : written;
      if (typeof done === 'function') process.nextTick(done);
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const onRejection = (error) => {
    const onUnhandled = presentRun()?.onUnhandled;
    if (onUnhandled !== undefined) return onUnhandled(error);
    // Without other listeners, Node ends the process, and so does this.
    if (process.listenerCount('unhandledRejection') === 1) throw error;
  };
  process.on('unhandledRejection', onRejection);
  return () => {
    for (const one of undo) one();
    process.off('unhandledRejection', onRejection);
  };
}
