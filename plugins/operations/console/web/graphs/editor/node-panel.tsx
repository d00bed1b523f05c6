import { Name } from '../../kit/basics.tsx';
import { visible } from '../../kit/text.ts';
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
import { RunNode } from '../run/run-now.tsx';
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
      <h2>
        <Name>{node.title ?? node.id}</Name>
      </h2>
      <p className="quiet">
        {visible(node.type)}
        {type ? ` · ${visible(type.title)}` : ' · This server does not have this type.'}
      </p>
      <FieldFrame label="ID" pointer="/id" required>
        <IdField document={document} node={node} actions={actions} place={place} />
      </FieldFrame>
      <FieldFrame label="Title" pointer="/title">
        <input
          aria-label="Title"
          maxLength={255}
          value={node.title ?? ''}
          onChange={({ target }) => set({ title: target.value || undefined })}
        />
      </FieldFrame>
      <ConfigForm
        type={type}
        config={node.config}
        onChange={(config) => set({ config: config && { ...config } })}
        pointer="/config"
      />
      <EdgesOfNode document={document} node={node} actions={actions} />
      <FurtherSettings node={node} set={set} />
      {type && !type.trigger && <RunNode scope={place.scope} type={node.type} config={node.config ?? {}} beside />}
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
