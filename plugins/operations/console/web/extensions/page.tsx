import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { scoped } from '../api/paths.ts';
import { Empty, Loading, Problem } from '../kit/basics.tsx';
import { Page } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { Mounted } from './mounted.tsx';
import { extensionsQuery } from './use-extensions.ts';

/** A page of a plugin. */
export function ExtensionPage() {
  const { plugin, page, ...scope } = useParams({ from: '/orgs/$org/projects/$project/plugins/$plugin/$page' });
  const { data, error, refetch } = useQuery(extensionsQuery(scope));
  const found = data?.pages.find((one) => one.plugin === plugin && one.name === page);
  return (
    <Page
      title={visible(found?.title ?? page)}
      same={{ command: 'svc plugin ls', call: `GET ${scoped(scope, '/console/extensions')}` }}
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && !found && (
        <Empty>
          This server has no plugin page with this name, or you cannot see it. The page may require a higher role.
        </Empty>
      )}
      {found && <Mounted key={found.module} scope={scope} module={found.module} of={{}} />}
    </Page>
  );
}
