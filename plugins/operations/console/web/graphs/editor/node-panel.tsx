import type { GraphDocument, GraphNode } from '../document.ts';
import { ConfigForm } from './config-form.tsx';
import { EdgesOfNode } from './edges-of-node.tsx';
import { FieldFrame } from './field-frame.tsx';
import { FormPlaceProvider, type FormPlace } from './form-context.ts';
import { ID, ID_WANTS } from './ids.ts';
import { changeNode, type Members } from './model.ts';
import { FurtherSettings } from './further-settings.tsx';
import { type ReadingOf, renameNode } from './rename.ts';
import { type Actions, nodesOnly } from './state.ts';
import { TypedText } from './typed-text.tsx';

interface Props {
  document: GraphDocument;
  node: GraphNode;
  actions: Actions;
  place: FormPlace;
}

/** Everything of one node. */
export function NodePanel({ document, node, actions, place }: Props) {
  const type = place.types.get(node.type);
  const set = (members: Members) =>
    actions.apply((now) => changeNode(now, node.id, members), `${node.id} ${Object.keys(members).join()}`);
  return (
    <FormPlaceProvider value={place}>
      <div className="node-names">
        <FieldFrame label="Title" pointer="/title">
          <input
            aria-label="Title"
            maxLength={255}
            placeholder={node.id}
            value={node.title ?? ''}
            onChange={({ target }) => set({ title: target.value || undefined })}
          />
        </FieldFrame>
        <FieldFrame label="ID" pointer="/id" required>
          <IdField document={document} node={node} actions={actions} place={place} />
        </FieldFrame>
      </div>
      <ConfigForm
        type={type}
        config={node.config}
        onChange={(config) => set({ config: config && { ...config } })}
        pointer="/config"
      />
      <EdgesOfNode document={document} node={node} actions={actions} />
      <FurtherSettings node={node} set={set} />
    </FormPlaceProvider>
  );
}

function IdField({ document, node, actions, place }: Props) {
  const readingOf: ReadingOf = (type) => place.types.get(type);
  const take = (id: string): string | undefined => {
    if (!ID.test(id)) return `${ID_WANTS}, at most 55.`;
    if (document.nodes.some((one) => one.id === id)) return 'Another node has this ID.';
    actions.apply((now) => ({ document: renameNode(now, node.id, id, readingOf), select: nodesOnly(id) }));
    return undefined;
  };
  return <TypedText label="ID" value={node.id} take={take} />;
}
