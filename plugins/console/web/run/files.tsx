import { useQuery } from '@tanstack/react-query';
import type { RunDocument, RunRecord } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Name, Problem } from '../kit/basics.tsx';
import { Table } from '../kit/list.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { count } from '../kit/text.ts';
import { runPath } from './use-run.ts';

/** What lies beside the script of a run; nothing is shown when nothing does. */
export function Files({ scope, run }: { scope: Scope; run: RunRecord }) {
  const path = runPath(scope, run.run_id);
  const read = useQuery({
    queryKey: ['run-document', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<RunDocument>(`${path}/document`, { signal }),
  });
  if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
  const files = read.data?.files ?? [];
  if (files.length === 0) return null;
  return (
    <Panel title="Files beside the script">
      <Table columns={['File', 'Bytes', '-Digest']}>
        {files.map((file) => (
          <tr key={file.path}>
            <td className="word">
              <Name>{file.path}</Name>
              {file.executable && <span className="quiet"> executable</span>}
            </td>
            <td className="tight">{count(file.size)}</td>
            <td className="word quiet">{file.digest}</td>
          </tr>
        ))}
      </Table>
      <Same by={{ command: `svc source ${run.run_id} --files`, call: `GET ${path}/document` }} />
    </Panel>
  );
}
