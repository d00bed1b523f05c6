import { FileCode, type LucideIcon, Puzzle, Radio, Workflow as WorkflowIcon } from 'lucide-react';
import { visible } from './text.ts';
import { runsWhat, type What, whatOf } from './workflow.ts';

const ICONS: Readonly<Record<What, LucideIcon>> = {
  source: FileCode,
  graph: WorkflowIcon,
  node: Puzzle,
  nothing: Radio,
};

interface Props {
  workflow: Readonly<Record<string, unknown>> | null | undefined;
  /** What is said where nothing runs. */
  nothing?: string;
}

/** What is started, in a few words with its icon. */
export function WhatRuns({ workflow, nothing = 'Only records an event' }: Props) {
  const Icon = ICONS[whatOf(workflow)];
  const text = runsWhat(workflow).replace(/^(?:graph|node) /, '');
  return (
    <span className="with-icon">
      <Icon size={14} aria-hidden />
      {text ? <span className="clip">{visible(text)}</span> : <span className="quiet clip">{nothing}</span>}
    </span>
  );
}
