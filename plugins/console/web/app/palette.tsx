import * as Dialog from '@radix-ui/react-dialog';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { Whoami } from '../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { useExtensions } from '../extensions/use-extensions.ts';
import { areasFor } from './areas.ts';
import { projectsOf, useMay } from './session.ts';

interface Command {
  id: string;
  label: string;
  hint: string;
  go(): void;
}

/** Opened by `/` and Ctrl K: goes to pages, projects and runs by their names and ids. */
export function Palette({ scope, who }: { scope: Scope; who: Whoami }) {
  const [open, setOpen] = useState(false);
  useShortcut(() => setOpen(true));
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="search">
        <span>Search</span> <kbd>/</kbd>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog palette" aria-describedby={undefined}>
          <Dialog.Title className="hidden">Go to</Dialog.Title>
          <Finder scope={scope} who={who} close={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ scope, who, close }: { scope: Scope; who: Whoami; close(): void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = useCommands(scope, who, text.trim());
  const chosen = Math.min(at, found.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.go();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') run(found[chosen]);
    if (step === undefined) return;
    event.preventDefault();
    setAt((chosen + step + found.length) % Math.max(1, found.length));
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Go to a page, a project or a run"
        aria-expanded
        aria-controls="found"
        aria-activedescendant={found[chosen] && `found-${found[chosen].id}`}
        placeholder="A page, a project, a run or the name of a workflow"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="found" role="listbox" aria-label="Found">
        {found.map((command, index) => (
          <div
            key={command.id}
            id={`found-${command.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="item"
            onPointerMove={() => setAt(index)}
            onClick={() => run(command)}
            onKeyDown={onKeyDown}
          >
            {command.label} <span className="quiet">{command.hint}</span>
          </div>
        ))}
      </div>
    </>
  );
}

const RUN_ID = /^run_[0-9A-Z]{26}$/;

function useCommands(scope: Scope, who: Whoami, text: string): Command[] {
  const navigate = useNavigate();
  const may = useMay(scope);
  const added = (useExtensions(scope)?.pages ?? []).map(({ plugin, name, title }) => ({
    id: `added-${name}`,
    label: title,
    hint: `page of ${plugin}`,
    go: () =>
      void navigate({
        to: '/orgs/$org/projects/$project/plugins/$plugin/$page',
        params: { ...scope, plugin, page: name },
      }),
  }));
  const pages = areasFor(may).map(({ to, name }) => ({
    id: `page-${name}`,
    label: name,
    hint: 'page',
    go: () => void navigate({ to, params: scope }),
  }));
  const projects = projectsOf(who).map(({ org, project }) => ({
    id: `project-${org}-${project}`,
    label: `${org}/${project}`,
    hint: 'project',
    go: () => void navigate({ to: '/orgs/$org/projects/$project', params: { org, project } }),
  }));
  const fits = ({ label }: Command) => label.toLowerCase().includes(text.toLowerCase());
  const further: Command[] = [];
  if (RUN_ID.test(text))
    further.push({
      id: 'run',
      label: text,
      hint: 'run',
      go: () => void navigate({ to: '/orgs/$org/projects/$project/runs/$run', params: { ...scope, run: text } }),
    });
  else if (text)
    further.push({
      id: 'workflow',
      label: `Runs of ${text}`,
      hint: 'workflow',
      go: () => void navigate({ to: '/orgs/$org/projects/$project/runs', params: scope, search: { workflow: text } }),
    });
  return [...[...pages, ...added, ...projects].filter(fits), ...further];
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function useShortcut(open: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const slash = event.key === '/' && !isField(event.target) && !event.ctrlKey && !event.metaKey;
      const k = event.key === 'k' && (event.ctrlKey || event.metaKey);
      if (!slash && !k) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
