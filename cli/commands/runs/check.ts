import { Exit, type Run } from '../../command.ts';
import { readDocument } from '../../input.ts';
import { kindOf } from './document.ts';

interface Problem {
  line: number;
  column: number;
  message: string;
  code: string;
}

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const api = await invocation.client();
  const results: { file: string; ok: boolean; problems: Problem[] }[] = [];
  for (const file of args) {
    const { filename, source } = await readDocument(file, invocation);
    const body = {
      source,
      ...(filename === undefined ? {} : { filename }),
      ...(flags.as === undefined ? {} : { kind: kindOf(String(flags.as)) }),
      ...(flags.interpreter === undefined ? {} : { interpreter: flags.interpreter }),
    };
    const answer = await api.json<{ ok: boolean; problems: Problem[] }>({
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
