import { Braces, Copy, Download, Keyboard, type LucideIcon, Network, Plus, Redo2, Trash2, Undo2 } from 'lucide-react';
import { Tip } from '../../kit/tip.tsx';

interface Props {
  canUndo: boolean;
  canRedo: boolean;
  adding: boolean;
  chosen: boolean;
  add(): void;
  undo(): void;
  redo(): void;
  arrange(): void;
  duplicate(): void;
  remove(): void;
  text(): void;
  file(): void;
  keys(): void;
}

/** What is done to the graph, as icons at its side. */
export function Toolbar(props: Props) {
  const { canUndo, canRedo, adding, chosen } = props;
  return (
    <div className="graph-float graph-tools" role="toolbar" aria-label="Edit the graph" aria-orientation="vertical">
      <Tool icon={Plus} name="Add a node" keys="A" main expanded={adding} onClick={props.add} />
      <Tool icon={Undo2} name="Undo" keys="Ctrl Z" disabled={!canUndo} onClick={props.undo} />
      <Tool icon={Redo2} name="Redo" keys="Ctrl Shift Z" disabled={!canRedo} onClick={props.redo} />
      <Tool icon={Copy} name="Duplicate" keys="Ctrl D" disabled={!chosen} onClick={props.duplicate} />
      <Tool icon={Trash2} name="Remove" keys="Delete" disabled={!chosen} onClick={props.remove} />
      <Tool icon={Network} name="Arrange" onClick={props.arrange} />
      <Tool icon={Braces} name="Import or edit as text" onClick={props.text} />
      <Tool icon={Download} name="Export" onClick={props.file} />
      <Tool icon={Keyboard} name="Keys" keys="?" onClick={props.keys} />
    </div>
  );
}

interface ToolProps {
  icon: LucideIcon;
  name: string;
  keys?: string;
  main?: boolean;
  disabled?: boolean;
  expanded?: boolean;
  onClick(): void;
}

const Tool = ({ icon: Icon, name, keys, main = false, disabled = false, expanded, onClick }: ToolProps) => (
  <Tip text={keys === undefined ? name : `${name} (${keys})`}>
    <button
      type="button"
      className={`${main ? 'main' : 'ghost'} icon small`}
      aria-label={name}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon size={16} aria-hidden />
    </button>
  </Tip>
);
