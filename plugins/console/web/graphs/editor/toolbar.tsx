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

export function Toolbar(props: Props) {
  const { canUndo, canRedo, adding, chosen } = props;
  return (
    <div className="row graph-tools" role="toolbar" aria-label="Edit the graph">
      <button type="button" aria-expanded={adding} title="a" onClick={props.add}>
        Add a node
      </button>
      <button type="button" disabled={!canUndo} title="Ctrl Z" onClick={props.undo}>
        Undo
      </button>
      <button type="button" disabled={!canRedo} title="Ctrl Shift Z" onClick={props.redo}>
        Redo
      </button>
      <button type="button" disabled={!chosen} title="Ctrl D" onClick={props.duplicate}>
        Duplicate
      </button>
      <button type="button" disabled={!chosen} title="Delete" onClick={props.remove}>
        Remove
      </button>
      <button type="button" onClick={props.arrange}>
        Arrange
      </button>
      <button type="button" onClick={props.text}>
        Import or edit as text
      </button>
      <button type="button" onClick={props.file}>
        Export
      </button>
      <button type="button" title="?" onClick={props.keys}>
        Keys
      </button>
    </div>
  );
}
