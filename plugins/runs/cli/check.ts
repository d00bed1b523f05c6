import { type Api, Exit, readWorkflow, type Run } from '../../../cli/contract.ts';

export const run: Run = async (invocation) => {
  const { args, output } = invocation;
  const api = await invocation.client();
  const results: (Api.CheckedWorkflow & { file: string })[] = [];
  for (const file of args) {
    const body = await readWorkflow(file, invocation);
    const answer = await api.json<Api.CheckedWorkflow>({
      method: 'POST',
      path: api.scoped('/check'),
      body,
    });
    results.push({ file, ...answer });
  }
  output.data({ files: results }, () =>
    results
      .map(({ file, ok, problems }) =>
        ok ? `${file}: ok` : problems.map((p) => `${file}:${p.line}:${p.column}: ${p.message} (${p.code})`).join('\n'),
      )
      .join('\n'),
  );
  return results.every(({ ok }) => ok) ? Exit.ok : Exit.failed;
};
