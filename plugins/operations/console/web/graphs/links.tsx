import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { Scope } from '../api/paths.ts';

const GRAPHS = '/orgs/$org/projects/$project/graphs';

/** To the editor. */
export const EditGraphLink = ({ scope, graph }: { scope: Scope; graph: string }) => (
  <Link to={`${GRAPHS}/$graph/edit`} params={{ ...scope, graph }} className="button">
    Edit
  </Link>
);

export const NewGraphLink = ({ scope }: { scope: Scope }) => (
  <Link to={`${GRAPHS}/new`} params={scope} className="button main">
    <Plus size={16} aria-hidden /> New graph
  </Link>
);
