import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { Scope } from '../api/paths.ts';

export const NewRunLink = ({ scope }: { scope: Scope }) => (
  <Link className="button main" to="/orgs/$org/projects/$project/new-run" params={scope}>
    <Plus size={16} aria-hidden /> New run
  </Link>
);
