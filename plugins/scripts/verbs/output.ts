import { valueTooLarge, verbUsage } from '../errors.ts';
import { readArguments } from './arguments.ts';
import { defineVerb } from './define-verb.ts';

/** Of one call, as JSON. */
const MOST_BYTES = 1024 * 1024;

/** `svc output set k=v…`: staged, and merged into the output of the run if the script exits with 0. */
export const outputVerb = defineVerb({
  verb: 'output',
  summary:
    'Stages keys of the run’s output, which is kept only if the script exits with 0: k=v sets a text, k:=json a JSON value.',
  usage: 'svc output set <key>=<text>|<key>:=<json>…',
  async run(call) {
    const [verb, ...pairs] = readArguments(call.argv).positionals;
    if (verb !== 'set') throw verbUsage(verb === undefined ? '"set" is missing' : `"${verb}" is not "set"`);
    if (pairs.length === 0) throw verbUsage('there is no <key>=<value> to set');
    const values = Object.fromEntries(pairs.map(readPair));
    const size = Buffer.byteLength(JSON.stringify(values));
    if (size > MOST_BYTES)
      throw valueTooLarge(
        `the values have ${size} bytes as JSON, ${size - MOST_BYTES} more than the ${MOST_BYTES} taken`,
      );
    call.pass.stageOutput(values);
    return { exit: 0 };
  },
});

function readPair(pair: string): [key: string, value: unknown] {
  const equals = pair.indexOf('=');
  const colon = equals > 0 && pair[equals - 1] === ':';
  const key = pair.slice(0, colon ? equals - 1 : Math.max(equals, 0));
  if (key === '') throw verbUsage(`${JSON.stringify(shortened(pair))} is not <key>=<value>`);
  const text = pair.slice(equals + 1);
  if (!colon) return [key, text];
  try {
    return [key, JSON.parse(text)];
  } catch {
    throw verbUsage(`the value of ${JSON.stringify(shortened(key))} is not JSON; write ${key}=… for a text`);
  }
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
