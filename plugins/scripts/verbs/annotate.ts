import { valueTooLarge, verbUsage } from '../errors.ts';
import { exactly, readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

const MOST_BYTES = 64 * 1024 - 1;

/** `svc annotate <markdown>`: a note on the run. Not a durable boundary: every pass writes its notes again. */
export const annotateVerb = defineVerb({
  verb: 'annotate',
  summary:
    'Attaches a markdown note to the run; - reads it from standard input. Repeated by every pass, it stays one note.',
  usage: 'svc annotate <markdown>|-',
  async run(call) {
    const [given] = exactly(readArguments(call.argv), ['markdown']);
    const text = given === '-' ? (await call.stdin(MOST_BYTES)).toString() : given!;
    if (text.trim() === '') throw verbUsage('the note is empty');
    if (text.includes('\0')) throw verbUsage('the note holds a NUL');
    const size = Buffer.byteLength(text);
    if (size > MOST_BYTES) throw valueTooLarge(`the note has ${size} bytes; at most ${MOST_BYTES} are taken`);
    await call.pass.annotate(text);
    return { exit: 0 };
  },
});
