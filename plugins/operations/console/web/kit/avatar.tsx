import type { LucideIcon } from 'lucide-react';
import { initials } from './initials.ts';
import { visible } from './text.ts';

/** Stands for a person; the name stands beside it. */
export const Avatar = ({ name }: { name: string }) => (
  <span className="avatar" aria-hidden>
    {visible(initials(name))}
  </span>
);

/** Stands for a thing in a row, where it has no state. */
export const Mark = ({ icon: Icon }: { icon: LucideIcon }) => <Icon size={16} className="mark" aria-hidden />;

/** A person in a cell. */
export const Person = ({ name }: { name: string }) => (
  <span className="with-icon" title={visible(name)}>
    <Avatar name={name} />
    <span className="clip">{visible(name)}</span>
  </span>
);
