import { Link } from '@tanstack/react-router';
import type { Scope } from '../api/paths.ts';
import { visible } from '../kit/text.ts';
import { useExtensions } from './use-extensions.ts';

/** The pages of plugins that stand below one of the menu's own pages; those without one stand at the end. */
export function MenuPages({ scope, below, close }: { scope: Scope; below: string | undefined; close(): void }) {
  const pages = (useExtensions(scope)?.pages ?? []).filter(({ area }) => area === below);
  return pages.map(({ plugin, name, title }) => (
    <Link
      key={name}
      to="/orgs/$org/projects/$project/plugins/$plugin/$page"
      params={{ ...scope, plugin, page: name }}
      onClick={close}
    >
      {visible(title)}
    </Link>
  ));
}
