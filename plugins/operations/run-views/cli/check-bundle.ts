import { basename } from 'node:path';
import {
  type Api,
  bundleDocument,
  CliError,
  type Invocation,
  readPairs,
  workflowRoot,
} from '../../../../cli/contract.ts';

type Problem = Api.CheckedWorkflow['problems'][number];

/** A script as a submit would send it, and what keeps it from that. */
export interface Bundle {
  source: string;
  problems: Problem[];
}

/** Only of scripts; another document is answered as it is. */
export async function bundleScript(
  file: string,
  { flags }: Pick<Invocation, 'flags'>,
  source: string,
): Promise<Bundle> {
  if (/\.(ya?ml|json)$/i.test(file)) return { source, problems: [] };
  try {
    const { as, interpreter } = flags;
    const env = readPairs((flags.env ?? []) as readonly string[], 'env');
    const root = file === '-' ? undefined : await workflowRoot(file, flags.root);
    return { source: await bundleDocument({ path: file, source, as, interpreter, env, root }), problems: [] };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { source, problems: toProblems(error, basename(file)) };
  }
}

function toProblems({ code, message }: CliError, name: string): Problem[] {
  const known = code === 'include_outside' ? code : 'script_not_bundled';
  return message.split('\n').map((line) => toProblem(line, name, known));
}

/** Of another file the place stays in the message. */
function toProblem(text: string, name: string, code: string): Problem {
  const [, file, line, column, message] = /^(.+?):(\d+):(\d+): (.+)$/.exec(text) ?? [];
  if (file !== name || message === undefined) return { line: 1, column: 1, message: text, code };
  return { line: Number(line), column: Number(column), message, code };
}
