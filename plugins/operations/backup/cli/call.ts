import { type Invocation, runTool, type ToolAnswer, withSecretFiles } from '../../../../cli/contract.ts';

/** Runs a tool that can be interrupted and that reports its progress. */
export async function callTool(tool: string, { args, flags, output, env }: Invocation): Promise<ToolAnswer> {
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const reporter = {
    status: (text: string) => output.status(text),
    note: (text: string) => output.note(text),
    live: output.live,
  };
  try {
    return await runTool(
      { tool },
      { args, flags, env: await withSecretFiles(env), input: { reporter, signal: interrupted.signal } },
    );
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
