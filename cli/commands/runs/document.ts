import type { FlagValues, Invocation } from '../../command.ts';
import { readDocument, readJson, readPairs } from '../../input.ts';

/** The body of POST {scoped}/runs made from a file and the flags that `submit` and `run` share. */
export async function submission(
  path: string,
  flags: FlagValues,
  invocation: Invocation,
): Promise<Record<string, unknown>> {
  const { filename, source } = await readDocument(path, invocation);
  const env = readPairs(flags.env as readonly string[], 'env');
  const input = flags.input === undefined ? undefined : await readJson(String(flags.input), 'input', invocation);
  return {
    source,
    ...(filename === undefined ? {} : { filename }),
    ...(flags.as === undefined ? {} : { kind: kindOf(String(flags.as)) }),
    ...(flags.interpreter === undefined ? {} : { interpreter: flags.interpreter }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(input === undefined ? {} : { input }),
  };
}

/** `--as yaml` and `--as pipeline` are the same. */
export const kindOf = (as: string) => (as === 'yaml' ? 'pipeline' : as);
