/** What the agent takes as the name of a step, so that it need not be asked. It says itself what is wrong with others. */
const PLAIN_NAME = /^[^\p{Cc}\p{Surrogate}]{1,200}$/u;
const ENDS_AS_A_SITE = /#\d+$/;
const NO_TEXT = /[\0\p{Surrogate}]/u;
/** Taken now, so that no program with a clock of its own stretches a lease. */
const clock = performance.now.bind(performance);

/** Milliseconds that never go back. */
export const now = () => clock();

/**
 * The steps that may begin without an answer of the agent: while it lends us the next places of the journal, and when we
 * know which place a step has. `plugins/execution/scripts/socket/step-lease.ts` says why that is safe.
 */
export class Ahead {
  #run;
  #until = 0;
  /** How often each name has been a step. */
  #made = new Map();

  /** What the hello says: which run this is. */
  begin(run) {
    this.#run = run;
  }

  /** What an answer says of further places, to a request sent at `sent_at`. */
  learn({ ms, steps = [] }, sent_at) {
    for (const [name, ordinal] of steps) this.made(name, ordinal);
    this.#until = sent_at + ms;
  }

  /** The key of a step, and whether the agent may mask its name; undefined when the agent does not say. */
  keyOf({ name, ordinal }) {
    if (this.#run?.masks === undefined) return undefined;
    const key = keyOf(['svc/step/v1', this.#run.run, this.#run.activity, 'step', name, String(ordinal)]);
    return key === undefined ? undefined : { key, masks: this.#run.masks };
  }

  /** A step has that place. */
  made(name, ordinal) {
    if (ordinal >= (this.#made.get(name) ?? 0)) this.#made.set(name, ordinal + 1);
  }

  /** Asked again after the request is written: what was written later is not begun under the lease. */
  get lent() {
    return clock() < this.#until;
  }

  /** The place of the next step; undefined when the agent has to be asked for it. */
  place(name, label) {
    if (this.#run === undefined || !this.lent || !isPlain(name)) return undefined;
    if (label !== undefined && (typeof label !== 'string' || NO_TEXT.test(label))) return undefined;
    const ordinal = this.#made.get(name) ?? 0;
    const key = keyOf(['svc/step/v1', this.#run.run, this.#run.activity, 'step', name, String(ordinal)]);
    return key === undefined
      ? undefined
      : { run: true, key, ordinal, site: `${name}#${ordinal}`, limit: this.#run.limit };
  }
}

export const isPlain = (name) => PLAIN_NAME.test(name) && !ENDS_AS_A_SITE.test(name);

let crypto;

/** As the agent makes it. Undefined in a Node that cannot load a module at once: loading it costs every script. */
function keyOf(parts) {
  crypto ??= process.getBuiltinModule?.('node:crypto');
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join('');
  return crypto?.createHash('sha256').update(text).digest('hex');
}
