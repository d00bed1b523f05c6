import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type LucideIcon, Pencil, Plus, Trash2 } from 'lucide-react';
import { type ComponentType, type ReactNode, useState } from 'react';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { type Action, ActionMenu } from './action-menu.tsx';
import { Empty, Loading, Problem, Tag } from './basics.tsx';
import { Asked } from './confirm.tsx';
import { TextField } from './dialog-form.tsx';
import { Drawer, FormDrawer } from './drawer.tsx';
import { type Choice, FilterBar } from './filter-bar.tsx';
import { List } from './list.tsx';
import { hasWords, type ListAddress } from './list-address.ts';
import { NAME, NAME_WANTS } from './more-fields.tsx';
import { Once, type Secret } from './once.tsx';
import { Page } from './page.tsx';
import { AGAIN_MS, listKey, usePaged } from './paged.ts';
import { type Column, Rows } from './rows.tsx';
import { refuseTaken } from './taken.ts';
import { visible } from './text.ts';
import { toast } from './toasts.tsx';

interface Named {
  name: string;
  /** The graph or plugin that manages it. It can only be changed there. */
  owner?: string;
  /** What the server could not do in addition to the change. */
  warnings?: string[];
}

/** A kind of named resource of a project, with a list, a page for each, and a form: handlers, schedules, triggers, webhooks, hooks. */
export interface NamedKind<View extends Named> {
  /** The singular, such as `handler`. Sentences use it, and so does the parameter of its page. */
  one: string;
  /** The title of the list, such as `Handlers`. */
  title: string;
  icon: LucideIcon;
  /** The path of the list in the API, below the project: `/handlers`. */
  path: string;
  /** The member of the response that contains the list. */
  plural: string;
  /** The route of the list in the console. */
  page: `/orgs/$org/projects/$project/${'handlers' | 'schedules' | 'triggers' | 'webhooks' | 'hooks'}`;
  /** The command without its verb, such as `svc handler`. */
  command: string;
  /** What it is for; shown while the list is empty. */
  about: string;
  /** The placeholder of the search field: what it finds. */
  finds: string;
  /** The texts that the search field compares. */
  wordsOf(view: View): readonly (string | undefined)[];
  /** The filter beside the search field, such as the state. */
  filter: Choice;
  /** The option of the filter to which an item belongs. */
  filterOf(view: View): string;
  /** The fields of the form, except the name. `of` is the item that is edited. */
  Fields: ComponentType<{ of?: View }>;
  /** Builds the body of the request from the form. */
  bodyOf(fields: Record<string, string>): Record<string, unknown>;
  /** A note above the form for editing: what a change affects. */
  editNote?: string;
  /** What the removal means; shown in the confirmation. */
  removal: string;
  /** The secret in a response, which is shown only once. */
  secretOf?(view: View): Secret | undefined;
}

interface Of<View extends Named> {
  kind: NamedKind<View>;
  scope: Scope;
  name: string;
}

type OnSecret = (secret: Secret) => void;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The route of an item's page. Its parameter is named after the kind. */
const pageOfOne = ({ page, one }: { page: string; one: string }): string => `${page}/$${one}`;

/** The path of an item in the API. */
export const namedPath = ({ path }: { path: string }, scope: Scope, name: string): string =>
  scoped(scope, `${path}/${encodeURIComponent(name)}`);

/** Reads an item with its document, which lists leave out. With `fresh`, it is read again even if it is cached. */
export function useNamed<View extends Named>(
  kind: NamedKind<View>,
  scope: Scope,
  name: string,
  { fresh = false } = {},
) {
  const path = namedPath(kind, scope, name);
  return useQuery({
    queryKey: [kind.one, path],
    queryFn: ({ signal }) => json<View>(path, { signal }),
    refetchInterval: AGAIN_MS,
    ...(fresh && { refetchOnMount: 'always' as const }),
  });
}

/** Reads an item and the list again after a change. */
export function useRefreshNamed<View extends Named>(kind: NamedKind<View>, scope: Scope) {
  const refetch = useRefetch();
  return (name: string) => refetch([kind.one, namedPath(kind, scope, name)], listKey(scoped(scope, kind.path)));
}

interface CreateProps<View extends Named> extends Omit<Of<View>, 'name'> {
  onSecret: OnSecret;
}

function CreateNamed<View extends Named>({ kind, scope, onSecret }: CreateProps<View>) {
  const navigate = useNavigate();
  const refresh = useRefreshNamed(kind, scope);
  const { one, page, secretOf, bodyOf, Fields } = kind;
  const create = async (fields: Record<string, string>) => {
    const name = fields.name ?? '';
    const path = namedPath(kind, scope, name);
    const body = bodyOf(fields);
    await refuseTaken(path, one);
    const made = await json<View>(path, { method: 'PUT', body });
    const secret = secretOf?.(made);
    if (secret) onSecret(secret);
    if (made.warnings) toast(`${capital(one)} ${name} created. ${made.warnings.join(' ')}`, { state: 'failed' });
    await refresh(name);
    if (!secretOf) await navigate({ to: pageOfOne(kind), params: { ...scope, [one]: name } });
  };
  return (
    <FormDrawer
      title={`New ${one}`}
      verb={`Create ${one}`}
      close={() => void navigate({ to: page, params: scope, search: {} })}
      run={create}
      leaves={!secretOf}
    >
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      <Fields />
    </FormDrawer>
  );
}

interface EditProps<View extends Named> extends Of<View> {
  close(): void;
  /** An edit may make a secret, which is shown once. */
  onSecret?: OnSecret | undefined;
}

export function EditNamed<View extends Named>(props: EditProps<View>) {
  const { kind, scope, name, close } = props;
  const [openedAt] = useState(() => Date.now());
  const { data, dataUpdatedAt, error } = useNamed(kind, scope, name, { fresh: true });
  // What was read before the form opened may be older than somebody else's change, which a save would undo.
  if (data && dataUpdatedAt >= openedAt) return <EditForm {...props} read={data} />;
  return (
    <Drawer title={`Edit ${name}`} close={close}>
      {error ? <Problem error={error} /> : <Loading />}
    </Drawer>
  );
}

function EditForm<View extends Named>({ kind, scope, name, read, onSecret, close }: EditProps<View> & { read: View }) {
  const refresh = useRefreshNamed(kind, scope);
  // Fields stay as they are while the page below reads again.
  const [of] = useState(read);
  const { one, editNote, secretOf, bodyOf, Fields } = kind;
  const save = async (fields: Record<string, string>) => {
    const saved = await json<View>(namedPath(kind, scope, name), { method: 'PUT', body: bodyOf(fields) });
    const secret = secretOf?.(saved);
    if (secret) onSecret?.(secret);
    await refresh(name);
    if (saved.warnings) throw new Error(`Saved. ${saved.warnings.join(' ')}`);
    toast(`${capital(one)} ${name} saved`);
  };
  return (
    <FormDrawer title={`Edit ${name}`} verb="Save changes" close={close} run={save}>
      {editNote && <p className="quiet">{editNote}</p>}
      <Fields of={of} />
    </FormDrawer>
  );
}

interface RemoveProps<View extends Named> extends Of<View> {
  close(): void;
  /** True on the item's own page, which is left after the removal. */
  leaves: boolean;
}

function RemoveNamed<View extends Named>({ kind, scope, name, leaves, close }: RemoveProps<View>) {
  const client = useQueryClient();
  const refetch = useRefetch();
  const navigate = useNavigate();
  const { one, page, removal } = kind;
  const remove = async () => {
    const path = namedPath(kind, scope, name);
    const answer = await json<{ warnings?: string[] } | undefined>(path, { method: 'DELETE' });
    if (leaves) await navigate({ to: page, params: scope, search: {} });
    client.removeQueries({ queryKey: [one, path] });
    await refetch(listKey(scoped(scope, kind.path)));
    if (answer?.warnings)
      toast(`${capital(one)} ${name} removed from svc. ${answer.warnings.join(' ')}`, { state: 'failed' });
    else toast(`${capital(one)} ${name} removed`);
  };
  return (
    <Asked title={`Remove the ${one} ${name}?`} verb={`Remove ${one}`} danger run={remove} close={close}>
      {removal}
    </Asked>
  );
}

export const editAction = <View extends Named>(of: Of<View>, onSecret?: OnSecret): Action => ({
  icon: Pencil,
  label: `Edit ${of.kind.one}`,
  opens: (close) => <EditNamed {...of} onSecret={onSecret} close={close} />,
});

export const removeAction = <View extends Named>(of: Of<View>, leaves = false): Action => ({
  icon: Trash2,
  label: `Remove ${of.kind.one}`,
  danger: true,
  opens: (close) => <RemoveNamed {...of} leaves={leaves} close={close} />,
});

interface EditAndMoreProps<View extends Named> extends Of<View> {
  onSecret?: OnSecret;
  /** Items of the menu before the removal. */
  actions?: readonly (Action | false)[];
}

/** The button Edit at the top of an item's page, and a menu that ends with the removal. */
export function EditAndMore<View extends Named>({ onSecret, actions = [], ...of }: EditAndMoreProps<View>) {
  const [edits, setEdits] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setEdits(true)}>
        <Pencil size={14} aria-hidden /> Edit
      </button>
      <ActionMenu label={`Actions for ${of.name}`} actions={[...actions, removeAction(of, true)]} />
      {edits && <EditNamed {...of} onSecret={onSecret} close={() => setEdits(false)} />}
    </>
  );
}

interface ListProps<View extends Named> {
  kind: NamedKind<View>;
  scope: Scope;
  address: ListAddress;
  /** Whether the user may create and change items. */
  may: boolean;
  mark(view: View): ReactNode;
  columns: readonly Column<View>[];
  /** As in `Rows`. */
  second(view: View): ReactNode;
  aside?(view: View): ReactNode;
  /** The items of a row's menu. */
  actions(view: View, of: Of<View>, onSecret: OnSecret): readonly (Action | false)[];
  /** Shown beside the filters; gets the newest response. */
  beside?(answer: unknown): ReactNode;
}

/** The page that lists all items of a kind, finds them and creates new ones. */
export function NamedList<View extends Named>(props: ListProps<View>) {
  const { kind, scope, address, may, beside } = props;
  const { make, find = '', state } = address;
  const { one, title, icon, page, command, filter } = kind;
  const navigate = useNavigate();
  const [shown, setShown] = useState<Secret>();
  const path = scoped(scope, kind.path);
  const list = usePaged<string, View>(kind.plural, path, {}, { again_ms: AGAIN_MS, whole: true });
  const answer = list.data?.pages[0];
  const fits = (view: View) =>
    hasWords(kind.wordsOf(view), find) && (state === undefined || kind.filterOf(view) === state);
  const makeLink = may && (
    <Link to={page} params={scope} search={{ make: true }} className="button main">
      <Plus size={16} aria-hidden /> New {one}
    </Link>
  );
  return (
    <Page
      title={title}
      bleed
      about={list.count}
      actions={makeLink}
      same={{ command: `${command} ls`, call: `GET ${path}` }}
    >
      {make && may && <CreateNamed kind={kind} scope={scope} onSecret={setShown} />}
      <FilterBar
        label={`Find a ${one}`}
        hint={kind.finds}
        find={find}
        choices={[filter]}
        chosen={{ state }}
        onChange={(search) => void navigate({ to: page, params: scope, search, replace: true })}
      >
        {answer && beside?.(answer)}
      </FilterBar>
      <Once shown={shown} close={() => setShown(undefined)} />
      <List
        list={list}
        nothing={
          <Empty icon={icon} title={`No ${title.toLowerCase()} yet`} action={makeLink}>
            {kind.about}
          </Empty>
        }
      >
        {(views) => <Found {...props} views={views.filter(fits)} reading={list.reading} onSecret={setShown} />}
      </List>
    </Page>
  );
}

interface FoundProps<View extends Named> extends ListProps<View> {
  views: readonly View[];
  /** Further ones are still being read. */
  reading: boolean;
  onSecret: OnSecret;
}

function Found<View extends Named>({ kind, scope, may, views, reading, actions, onSecret, ...rows }: FoundProps<View>) {
  const { one, title } = kind;
  if (views.length === 0 && reading) return <Loading />;
  if (views.length === 0) return <Empty title={`No ${one} matches these filters`} />;
  return (
    <Rows<View>
      label={title}
      head={capital(one)}
      items={views}
      keyOf={({ name }) => name}
      mark={rows.mark}
      title={({ name }) => (
        <Link className="clip" to={pageOfOne(kind)} params={{ ...scope, [one]: name }} title={visible(name)}>
          {visible(name)}
        </Link>
      )}
      beside={({ owner }) => owner && <Tag>{owner.replace(':', ' ')}</Tag>}
      columns={rows.columns}
      second={rows.second}
      {...(rows.aside && { aside: rows.aside })}
      actions={(view) =>
        may && (
          <ActionMenu
            label={`Actions for ${view.name}`}
            small
            actions={actions(view, { kind, scope, name: view.name }, onSecret)}
          />
        )
      }
    />
  );
}
